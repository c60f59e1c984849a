/** A failure at startup that an operator can fix. */
export class StartError extends Error {}
