import type { Declares } from "../../src/core/http/routes.ts";

/** What a route declares, in schemas of any library. */
export interface Declaration extends Declares {
  /** The media type of the body, if it is not JSON. */
  bodyType?: string | undefined;
  /** The status for a body that does not match, if it is not 400. */
  refusal?: number | undefined;
  query?: unknown;
  params?: unknown;
  headers?: unknown;
  /** Whether it is no part of the API: its owner or its plugin hides it, or it takes only WebSockets. */
  isHidden?: boolean | undefined;
}

/** What the marks on a route's handlers declare. */
export function declaredBy(handlers: unknown): Declaration {
  const marks = (handlers as { declares?: Declaration }[]).flatMap(({ declares }) => declares ?? []);
  const answers = Object.assign({}, ...marks.map((mark) => mark.answers));
  return Object.assign({ refusal: 422 }, ...marks, { answers });
}
