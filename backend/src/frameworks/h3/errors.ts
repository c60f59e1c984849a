import type { H3Event, HTTPError } from "h3";
import { notFound } from "../../problem.ts";
import { invalidItem } from "../../validation.ts";
import { nodeRequest } from "./body.ts";

/** The cause of an h3 error: what a handler threw, a body that does not match its schema, or the error itself. */
export function causeOf(error: HTTPError, event: H3Event): unknown {
  if (error.unhandled) return thrownIn(error);
  if (error.status === 404 && !event.context.matchedRoute) return notFound();
  const { issues } = (error.data ?? {}) as { issues?: Parameters<typeof invalidItem>[0] };
  const isAboutBody = error.status === 400 && nodeRequest(event).bytesRead !== undefined;
  return issues && isAboutBody ? invalidItem(issues) : error;
}

/** What a Node.js middleware threw is wrapped once more. */
function thrownIn({ cause }: HTTPError): unknown {
  return cause instanceof Error ? cause : ((cause as { cause?: unknown } | undefined)?.cause ?? cause);
}
