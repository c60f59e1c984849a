/** How a project grows, in the words of its framework. */
export interface Growing {
  /** A route of the owner's own: a file, and the lines that mount it in `src/app.ts`. */
  route: { file: string; code: string; mount: string };
  /** How to get at raw bytes, and how to allow a larger body. */
  raw: string;
  /** How to declare a route public; said only in projects with tokens. */
  isPublic: string;
}
