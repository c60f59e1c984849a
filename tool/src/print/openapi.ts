import type { Field } from "../field.ts";
import type { Feature, Request } from "../request.ts";
import { printJson } from "./json.ts";

/** The text of `openapi.json`: the routes and, in `components`, what an item and a problem are. */
export function printOpenApi(request: Request): string {
  return printJson(document(request));
}

/** The JSON schema (as OpenAPI 3.1 uses it) of what a client sends. */
export function schemaOf(fields: Field[]): object {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** An item that is valid, for documentation. */
export function exampleOf(fields: Field[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, exampleValue(field)]));
}

function fieldSchema(field: Field): object {
  switch (field.type) {
    case "string":
      return { type: "string", minLength: field.min, maxLength: field.max };
    case "number":
    case "integer":
      return { type: field.type, minimum: field.min, maximum: field.max };
    case "boolean":
      return { type: "boolean" };
    case "timestamp":
      return { type: "string", format: "date-time" };
    case "enum":
      return { type: "string", enum: field.values };
    case "string[]":
      return { type: "array", items: { type: "string" } };
  }
}

function exampleValue(field: Field): unknown {
  switch (field.type) {
    case "string":
      return "First item".slice(0, field.max).padEnd(field.min ?? 0, ".");
    case "number":
    case "integer":
      return Math.max(field.min ?? Number.NEGATIVE_INFINITY, Math.min(field.max ?? Number.POSITIVE_INFINITY, 1));
    case "boolean":
      return true;
    case "timestamp":
      return "2026-01-31T12:00:00Z";
    case "enum":
      return field.values[0];
    case "string[]":
      return ["first"];
  }
}

function document({ name, fields, features }: Request): object {
  const answer = answerWith(features);
  const { security, unauthorized } = features.includes("auth") ? auth : withoutAuth;
  return {
    openapi: "3.1.0",
    info: { title: name, version: "1.0.0" },
    paths: {
      "/health": {
        get: {
          summary: "Tells whether the server takes traffic",
          responses: { 200: answer("All is well", { const: { status: "ok" } }), 503: problem },
        },
      },
      "/items": {
        get: {
          summary: "Lists items, newest first",
          ...security,
          parameters: [
            { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
            {
              name: "cursor",
              in: "query",
              description: "The nextCursor of the page before",
              schema: { type: "string" },
            },
          ],
          responses: { 200: answer("A page", reference("Page")), ...unauthorized, default: problem },
        },
        post: {
          summary: "Creates an item",
          ...security,
          parameters: [
            {
              name: "Idempotency-Key",
              in: "header",
              description: "Makes a retry safe: the same key and item answer the first item again",
              schema: { type: "string", pattern: "^[!-~]{1,255}$" },
            },
          ],
          requestBody: { required: true, content: { "application/json": { schema: reference("NewItem") } } },
          responses: {
            201: answer("The item, once it is durable", reference("Item")),
            ...unauthorized,
            default: problem,
          },
        },
      },
    },
    components: {
      schemas: { NewItem: { ...schemaOf(fields), examples: [exampleOf(fields)] }, ...schemas(fields) },
      ...(features.includes("auth") ? { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } } : {}),
      ...(features.includes("cors") ? { headers: { [originHeader]: originHeaderSchema } } : {}),
    },
  };
}

function schemas(fields: Field[]): object {
  const { properties, required } = schemaOf(fields) as { properties: object; required: string[] };
  return {
    Item: {
      type: "object",
      properties: {
        id: { type: "string", format: "uuid" },
        ...properties,
        createdAt: { type: "string", format: "date-time" },
      },
      required: ["id", ...required, "createdAt"],
    },
    Page: {
      type: "object",
      properties: { items: { type: "array", items: reference("Item") }, nextCursor: { type: ["string", "null"] } },
      required: ["items", "nextCursor"],
    },
    Problem: {
      description: "RFC 9457",
      type: "object",
      properties: {
        type: { const: "about:blank" },
        title: { type: "string" },
        status: { type: "integer" },
        code: { type: "string", description: "Stable, for programs" },
        detail: { type: "string", description: "For people" },
        errors: {
          type: "array",
          items: {
            type: "object",
            properties: { pointer: { type: "string" }, parameter: { type: "string" }, detail: { type: "string" } },
            required: ["detail"],
          },
        },
        requestId: { type: "string" },
      },
      required: ["type", "title", "status", "code", "detail", "requestId"],
    },
  };
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** What tells a reader of the document that there is CORS. */
export const originHeader = "Access-Control-Allow-Origin";

const originHeaderSchema = {
  description: "The origin of the page that asked, if it is one of CORS_ORIGINS",
  schema: { type: "string" },
};

function answerWith(features: Feature[]) {
  const headers = { [originHeader]: { $ref: `#/components/headers/${originHeader}` } };
  const more = features.includes("cors") ? { headers } : {};
  return (description: string, schema: object) => ({
    description,
    ...more,
    content: { "application/json": { schema } },
  });
}

const problem = {
  description: "A problem",
  content: { "application/problem+json": { schema: reference("Problem") } },
};

const auth = {
  security: { security: [{ bearer: [] }] },
  unauthorized: {
    401: { ...problem, description: "No valid token", headers: { "WWW-Authenticate": { schema: { type: "string" } } } },
  },
};

const withoutAuth = { security: {}, unauthorized: {} };
