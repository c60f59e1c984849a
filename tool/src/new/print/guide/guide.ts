/** How to extend a project, for one framework. */
export interface Guide {
  /** An example route: a file, in Nest also a module, and the lines that mount it in the app's file. */
  route: Example & { module?: Example; mount: string };
  /** Code for every request, in the framework's own way, the line of `src/app.ts` that it stands above, and what it imports. */
  everywhere: { code: string; above: string; imports?: string };
  /** How to read raw bytes, how to allow a larger body, and what else is worth knowing: sentences for a list. */
  raw: string[];
  /** What a route declares for `openapi.json`. */
  declares: string;
  /** How to declare a route public; printed only in projects with tokens. */
  isPublic: string;
  /** Where a handler finds the name of the token; printed only in projects with tokens. */
  caller: string;
  /** How WebSockets are added: sentences, or a block of code. */
  sockets: string;
  /** How a test sends requests to the app. */
  inTests: string;
}

interface Example {
  file: string;
  code: string;
}
