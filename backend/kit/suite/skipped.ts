/** Thrown by a check that cannot run on this backend, because a plugin of its owner answers instead. */
export class Skipped extends Error {}

/** The rate limit of an owner was reached: nothing can be checked until it is over. */
export class RateLimited extends Skipped {
  constructor(headers: Record<string, string>) {
    const { "retry-after": seconds } = headers;
    const until = seconds === undefined ? "" : `, for ${seconds} s`;
    super(`The backend's rate limit refuses requests (429)${until}. Raise the limit for tests to check this.`);
  }
}
