import type { FastifyInstance, FastifyRequest } from "fastify";
import { readJson } from "../../http/body.ts";
import { notFound, Problem } from "../../problem.ts";
import { isStandard } from "./schema.ts";

/** `request.body` is the JSON that was sent to a route. Parsers for other types may be added, as usual. */
export function jsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  addJson(app);
  app.addHook("preParsing", (request, _reply, payload, done) => done(refusalOf(request), payload));
}

/** Parsers that the owner adds to the app are not for the routes of this plugin. */
export function onlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addJson(app);
}

/** A plugin that has its own parser for JSON can only add it if there is none with this name. */
function addJson(app: FastifyInstance): void {
  app.addContentTypeParser(/^application\/json\b/, async ({ raw }: FastifyRequest) => readJson(raw));
}

/** Fastify would read a body without a route for it, accept a missing body, and convert text to a schema's type. */
function refusalOf(request: FastifyRequest): Problem | null {
  if (request.method === "GET" || request.method === "HEAD") return null;
  if (request.is404) return notFound();
  const schema = request.routeOptions.schema?.body;
  const isTaken = request.mediaType === "text/plain" ? !isStandard(schema) : request.mediaType || !schema;
  return isTaken ? null : new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
}
