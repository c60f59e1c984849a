import type { H3Event, HTTPError } from "h3";
import { notFound, Problem } from "../../problem.ts";

/** The cause of an h3 error: what a handler or a validator threw, or the error itself. */
export function findCause(error: HTTPError, event: H3Event): unknown {
  if (error.unhandled) return findThrown(error);
  if (error.status === 404 && !event.context.matchedRoute) return notFound();
  const { cause } = (error.cause ?? {}) as { cause?: unknown };
  return cause instanceof Problem ? cause : error;
}

/** What a Node.js middleware threw is wrapped once more. */
function findThrown({ cause }: HTTPError): unknown {
  return cause instanceof Error ? cause : ((cause as { cause?: unknown } | undefined)?.cause ?? cause);
}
