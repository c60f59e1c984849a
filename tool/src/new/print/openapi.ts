import { newDocument, updated } from "../../../../backend/kit/openapi/document.ts";
import type { Schema } from "../../../../backend/kit/openapi/example.ts";
import { core, type Feature as Description } from "../../../../backend/kit/openapi/feature.ts";
import { auth } from "../../../../backend/kit/openapi/features/auth.ts";
import { cors } from "../../../../backend/kit/openapi/features/cors.ts";
import { itemMethods, itemRoutes } from "../../../../backend/kit/openapi/features/item-routes.ts";
import { webhooks } from "../../../../backend/kit/openapi/features/webhooks.ts";
import { printJson } from "../../../../backend/kit/openapi/json.ts";
import { referenceMember } from "../../../../backend/kit/openapi/relations.ts";
import { uniqueMember } from "../../../../backend/kit/openapi/unique.ts";
import type { Field } from "../field.ts";
import { namesOf } from "../names.ts";
import type { Feature, Request } from "../request.ts";
import { elementOf } from "./resource.ts";

/** The text of `openapi.json`, as the project's own script makes it from the app. */
export function printOpenApi({ name, fields, resources: others, features, webhooks: sources }: Request): string {
  const all = [{ name: "items", fields }, ...others];
  const routes = [
    { method: "GET", pattern: "/health" },
    ...all.flatMap((one) => [
      ...["GET", "POST"].map((method) => ({ method, pattern: `/${one.name}` })),
      ...(features.includes("item-routes") ? itemMethods : []).map((method) => ({
        method,
        pattern: `/${one.name}/:id`,
      })),
    ]),
    ...sources.map((source) => ({ method: "POST", pattern: `/webhooks/${source}`, ...webhookRoute })),
  ];
  const resources = all.map((one) => ({
    name: one.name,
    title: namesOf(one.name).types[1],
    jsonSchema: schemaOf(one.fields),
  }));
  const described = [core, ...features.map((feature) => descriptions[feature])];
  return printJson(updated(newDocument(name), { routes, resources, features: described }));
}

const descriptions: Record<Feature, Description> = { auth, cors, "item-routes": itemRoutes, webhooks };

/** The options of webhook routes, in every framework. */
const webhookRoute = { bodyLimit: 1_048_576, isPublic: true };

/** The JSON schema of what a client sends, as the project makes it from its `item.ts`. */
export function schemaOf(fields: Field[]): Schema {
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        given({ ...fieldSchema(field), default: field.default, [uniqueMember]: field.isUnique }),
      ]),
    ),
    required: fields.filter((field) => !field.isOptional && field.default === undefined).map(({ name }) => name),
    additionalProperties: false,
  };
}

function fieldSchema(field: Field): Schema {
  switch (field.type) {
    case "string":
      return given({ type: "string", minLength: field.min || undefined, maxLength: field.max });
    case "number":
      return given({ type: "number", minimum: field.min, maximum: field.max });
    case "integer": {
      const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = field;
      return { type: "integer", minimum: min, maximum: max };
    }
    case "boolean":
      return { type: "boolean" };
    case "timestamp":
      return { type: "string", format: "date-time" };
    case "ref":
      return { type: "string", format: "uuid", pattern: "^[0-9a-f-]+$", [referenceMember]: field.to };
    case "date":
    case "uuid":
      return { type: "string", format: field.type };
    case "email":
      return { type: "string", format: "email", pattern: emailPattern, maxLength: 254 };
    case "url":
      return { type: "string", maxLength: 2048, format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]" };
    case "json":
      return {
        examples: [{ key: "value" }],
        type: ["object", "array", "string", "number", "boolean", "null"],
      };
    case "enum":
      return { enum: field.values, type: "string" };
    default:
      return { type: "array", items: fieldSchema(elementOf(field)) };
  }
}

/** That of the validator, which is narrower than the format. */
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
    .source;

function given(members: Record<string, unknown>): Schema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
