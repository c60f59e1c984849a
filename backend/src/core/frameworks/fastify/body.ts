import type { FastifyInstance, FastifyRequest } from "fastify";
import { readJson } from "../../http/body.ts";
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

const parse = async ({ raw }: FastifyRequest) => readJson(raw);

/** Fastify would read a body without a route for it, and validate a missing one, or text, with a Standard Schema. */
function findRefusal({ method, mediaType, is404, routeOptions }: FastifyRequest): Problem | null {
  if (method === "GET" || method === "HEAD") return null;
  if (is404) return notFound();
  const isUnclear = !mediaType || mediaType === "text/plain";
  if (!isUnclear || !isStandard(routeOptions.schema?.body)) return null;
  return new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
}
