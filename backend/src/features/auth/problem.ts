/** The row of a request without a token in the table of problems. */
export const unauthorized = [401, "Unauthorized"] as const;
