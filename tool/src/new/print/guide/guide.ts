/** How to extend a project, for one framework. */
export interface Guide {
  /** An example route: a file, and the lines that mount it in `src/app.ts`. */
  route: { file: string; code: string; mount: string };
  /** How to read raw bytes, and how to allow a larger body. */
  raw: string;
  /** How to declare a route public; printed only in projects with tokens. */
  isPublic: string;
}
