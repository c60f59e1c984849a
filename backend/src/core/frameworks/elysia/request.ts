import { Elysia } from "elysia";
import type { ServerRequest } from "srvx";
import { toNodeRequest } from "../../http/body.ts";
import type { HttpRequest } from "../../http/request.ts";

/** Sets a larger or smaller body limit for routes: `app.use(bodyLimit).post("/import", …, { bodyLimit: 5_000_000 })`. */
export const bodyLimit = new Elysia({ name: "bodyLimit" }).macro({ bodyLimit: (_bytes: number) => ({}) });

/** Lets handlers take more or less time: `app.use(handlerTimeout).get("/report", …, { handlerTimeout: 60_000 })`. */
export const handlerTimeout = new Elysia({ name: "handlerTimeout" }).macro({
  handlerTimeout: (_milliseconds: number) => ({}),
});

/** Node's request, from the request in a route. */
export function nodeRequest(request: Request): HttpRequest {
  return ((request as ServerRequest).runtime?.node?.req ?? toNodeRequest(request)) as HttpRequest;
}

/** Elysia looks at `request.body` to see whether there is one. That must not start to read it. */
export function withLazyBody(request: Request): Request {
  if (request.method === "GET" || request.method === "HEAD") return request;
  let body: ReadableStream | undefined;
  const get = () => {
    body ??= ReadableStream.from(readChunks(request));
    return body;
  };
  return Object.defineProperty(request, "body", { get });
}

async function* readChunks(request: Request) {
  yield* nodeRequest(request);
}
