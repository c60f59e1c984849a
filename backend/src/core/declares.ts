/** What a route takes and answers, in schemas of any library. */
export interface Declares {
  body?: unknown;
  /** By status, or a range of them like `2XX`. */
  answers?: Record<string, unknown> | undefined;
}

/** Marks a handler with what its route declares; `openapi.json` is generated from it. */
export function markHandler<Handler extends object>(
  declares: Declares,
  handler: Handler,
): Handler & { declares: Declares } {
  return Object.assign(handler, { declares });
}

/** Middleware that declares the answers of a route for `openapi.json`: `app.post("/notes", answers({ 201: Note }), …)`. */
export function answers(byStatus: Record<number, unknown>) {
  return markHandler({ answers: byStatus }, createPassing());
}

/** Middleware that only passes on. It has two parameters, by which some routers tell middleware from handlers. */
export function createPassing() {
  return (_request: unknown, second: unknown, next = second) => (next as () => Promise<void>)();
}
