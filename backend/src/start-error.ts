/** A reason not to start that whoever runs this can fix. */
export class StartError extends Error {}
