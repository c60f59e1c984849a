import { newDocument, updated } from "../../../../backend/openapi/document.ts";
import type { Schema } from "../../../../backend/openapi/example.ts";
import { core, type Feature as Description } from "../../../../backend/openapi/feature.ts";
import { auth } from "../../../../backend/openapi/features/auth.ts";
import { cors } from "../../../../backend/openapi/features/cors.ts";
import { printJson } from "../../../../backend/openapi/json.ts";
import type { Field } from "../field.ts";
import type { Feature, Request } from "../request.ts";

/** The text of `openapi.json`, as the project's own script makes it from the app. */
export function printOpenApi({ name, fields, features }: Request): string {
  const routes = [
    { method: "GET", pattern: "/health" },
    { method: "GET", pattern: "/items" },
    { method: "POST", pattern: "/items" },
  ];
  const resources = [{ name: "items", title: "Item", jsonSchema: schemaOf(fields) }];
  const described = [core, ...features.map((feature) => descriptions[feature])];
  return printJson(updated(newDocument(name), { routes, resources, features: described }));
}

const descriptions: Record<Feature, Description> = { auth, cors };

/** The JSON schema of what a client sends: the one that the project makes from its `item.ts`. */
export function schemaOf(fields: Field[]): Schema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
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
    case "enum":
      return { enum: field.values, type: "string" };
    case "string[]":
      return { type: "array", items: { type: "string" } };
  }
}

function given(members: Record<string, unknown>): Schema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
