const fakes = "first:test-token-one-that-is-visibly-fake,test-token-two-that-is-visibly-fake";

/** As a backend that runs already has them, or visibly fake ones. */
const written = process.env["API_TOKENS"] ?? fakes;

/** The backend's tokens, without their names. */
export const tokens = written.split(",").map((one) => one.replace(/^[^:]*:/, ""));

/** The environment of a backend that is started here. */
export const apiTokens = { API_TOKENS: written };

/** The default headers of every request. */
export const credentials: Record<string, string> = { Authorization: `Bearer ${tokens[0]}` };
