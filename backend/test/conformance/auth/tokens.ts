const fakes = ["test-token-one-that-is-visibly-fake", "test-token-two-that-is-visibly-fake"];

/** The backend's tokens: those of one that runs already, or visibly fake ones. */
export const tokens = process.env["API_TOKENS"]?.split(",") ?? fakes;

/** The environment of a backend that is started here. */
export const apiTokens = { API_TOKENS: tokens.join() };

/** The default headers of every request. */
export const credentials: Record<string, string> = { Authorization: `Bearer ${tokens[0]}` };

export const titleOf401 = "Unauthorized";
