import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

const converted = new WeakMap<Request, IncomingMessage>();

/** A web request in the form of Node's, for an app that is called without a server, as in a test. */
export function toNodeRequest(request: Request): IncomingMessage {
  return converted.getOrInsertComputed(request, convert);
}

function convert(request: Request): IncomingMessage {
  const { pathname, search } = new URL(request.url);
  // A copy: the framework's own readers need the body, too.
  const { body: copy } = request.clone();
  const body = copy ? Readable.fromWeb(copy as ReadableStream) : Readable.from([]);
  const headers = Object.fromEntries(request.headers);
  const rawHeaders = [...request.headers].flat();
  const members = { method: request.method, url: pathname + search, headers, rawHeaders };
  return Object.assign(body, members) as unknown as IncomingMessage;
}
