import type { H3Event, HTTPError } from "h3";
import { notFound } from "../../problem.ts";
import { invalidItem } from "../../validation.ts";
import { nodeRequest } from "./body.ts";

/** What an error of h3 is about: what a handler threw, a body that does not fit its schema, or itself. */
export function causeOf(error: HTTPError, event: H3Event): unknown {
  if (error.unhandled) return thrownIn(error);
  if (error.status === 404 && !event.context.matchedRoute) return notFound();
  const { issues } = (error.data ?? {}) as { issues?: Parameters<typeof invalidItem>[0] };
  const isAboutBody = error.status === 400 && nodeRequest(event).bytesRead !== undefined;
  return issues && isAboutBody ? invalidItem(issues) : error;
}

/** Around what a Node.js middleware threw there is one wrapper more. */
function thrownIn({ cause }: HTTPError): unknown {
  return cause instanceof Error ? cause : ((cause as { cause?: unknown } | undefined)?.cause ?? cause);
}
