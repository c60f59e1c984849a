import { type Declaration, declaredBy } from "../../declaration.ts";

/** What the marks on a route's handlers declare. The path of a route for WebSockets alone has an end that `express-ws` adds. */
export function readRoute(definition: unknown): Declaration {
  const { handlers, pattern } = definition as { handlers: unknown; pattern: string };
  return { ...declaredBy(handlers), isHidden: pattern.endsWith("/.websocket") };
}
