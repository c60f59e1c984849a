import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { expectJson, parseJson, readJson } from "../../http/body.ts";
import { notFound, Problem } from "../../problem.ts";
import { isStandard } from "./schema.ts";

/** `request.body` is the JSON that was sent to a route. Parsers for other types may be added, as usual. */
export function jsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  // A plugin that has its own parser for JSON can only add it if there is none with this name.
  app.addContentTypeParser(/^application\/json\b/, parse);
  app.addHook("preParsing", (request, _reply, payload, done) => done(findRefusal(request), payload));
}

/** Parsers that the owner adds to the app are not for the routes of this plugin: all bodies but JSON are refused. */
export function onlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", parse);
}

/** Reads what the `preParsing` hooks have passed on: a plugin may have decompressed the body. */
async function parse({ raw, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  return payload === raw ? readJson(raw) : readDecoded(raw, payload, routeOptions.bodyLimit);
}

async function readDecoded(req: IncomingMessage, payload: IncomingMessage, limit: number): Promise<unknown> {
  expectJson(req, true);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) throw new Problem("body_too_large", `The body may have at most ${limit} bytes.`);
  }
  return parseJson(Buffer.concat(chunks));
}

/** Fastify would read a body without a route for it, and validate a missing one, or text, with a Standard Schema. */
function findRefusal({ method, mediaType, is404, routeOptions }: FastifyRequest): Problem | null {
  if (method === "GET" || method === "HEAD") return null;
  if (is404) return notFound();
  const isUnclear = !mediaType || mediaType === "text/plain";
  if (!isUnclear || !isStandard(routeOptions.schema?.body)) return null;
  return new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
}
