import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Resource } from "../src/resource.ts";
import type { Schema } from "./example.ts";
import { markReferences } from "./relations.ts";
import { markUnique } from "./unique.ts";

/** The JSON schema of what a client sends: the resource's `jsonSchema`, or one generated from its `schema`. */
export function jsonSchemaOf(resource: Resource): Schema {
  const { name, schema, jsonSchema } = resource;
  const { entries } = schema as { entries?: v.ObjectEntries };
  const made = jsonSchema ?? (entries ? fromEntries(entries) : fromStandard(schema["~standard"]));
  if (!made)
    throw new Error(`The schema of "${name}" cannot be converted to a JSON schema. Add a jsonSchema to the resource.`);
  const { $schema: _, ...rest } = made;
  markUnique(rest, resource.unique);
  markReferences(rest, resource.references);
  return rest;
}

/** Checks without a keyword in JSON Schema are left out. */
function fromEntries(entries: v.ObjectEntries): Schema {
  const made = toJsonSchema(v.strictObject(entries), {
    target: "draft-2020-12",
    overrideAction: ({ errors, jsonSchema }) => (errors ? jsonSchema : undefined),
  });
  return made as Schema;
}

/** Several libraries can generate it: https://standardschema.dev/json-schema */
function fromStandard(standard: object): Schema | undefined {
  const { jsonSchema } = standard as Partial<StandardJSONSchemaV1.Props>;
  return jsonSchema?.input({ target: "draft-2020-12" });
}
