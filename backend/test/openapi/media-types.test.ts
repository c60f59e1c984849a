import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredIn } from "../../kit/openapi/declared.ts";
import { newDocument, updated } from "../../kit/openapi/document.ts";
import { core } from "../../kit/openapi/feature.ts";
import { readRoute } from "../../kit/openapi/frameworks/fastify/route.ts";

const note = { $id: "note", type: "object", properties: { text: { type: "string" } } };
const { $id: _, ...shown } = note;
const text = { type: "string" };

/** The operation of a route with a schema. */
function describe(schema: object, before = newDocument("shop")) {
  const declared = declaredIn(readRoute({ schema, app: { getSchemas: () => ({ note }) } }));
  const routes = [{ method: "POST", pattern: "/notes", declared }];
  const document = updated(before, { routes, resources: [], features: [core] });
  const operation: Record<string, Record<string, unknown>> = Object(document.paths?.["/notes"]?.["post"]);
  const { requestBody, responses } = operation;
  return { document, requestBody, responses };
}

test("a schema for each media type of a body and of an answer is described, with what the owner wrote about it", () => {
  const content = { "application/json": { schema: { $ref: "note#" } }, "text/csv": { schema: text } };
  const schema = { body: { content }, response: { 200: { content }, 422: { content }, 201: { $ref: "note#" } } };
  const { document, requestBody, responses } = describe(schema);
  const described = { "application/json": { schema: shown }, "text/csv": { schema: text } };
  assert.deepEqual(requestBody, { required: true, content: described });
  assert.partialDeepStrictEqual(responses?.["200"], { content: described });
  assert.deepEqual(Object.keys(Object(responses?.["422"]).content), ["application/problem+json"]);
  assert.deepEqual(Object(responses?.["201"]).content, { "application/json": { schema: shown } });

  Object(requestBody).content["text/csv"].example = "a,b";
  Object(responses?.["200"]).content["text/csv"].example = "c,d";
  const again = describe(schema, document);
  assert.equal(Object(again.requestBody).content["text/csv"].example, "a,b");
  assert.equal(Object(again.responses?.["200"]).content["text/csv"].example, "c,d");
});
