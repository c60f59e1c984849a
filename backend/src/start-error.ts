/** A reason not to start that an operator can fix. */
export class StartError extends Error {}
