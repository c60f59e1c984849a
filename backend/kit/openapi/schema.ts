import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Resource } from "../../src/core/resource.ts";
import type { Schema } from "./example.ts";
import { markReferences } from "./relations.ts";
import { markUnique } from "./unique.ts";

/** The JSON schema of what a client sends: the resource's `jsonSchema`, or one generated from its `schema`. */
export function describeResource(resource: Resource): Schema {
  const { name, schema, jsonSchema } = resource;
  const made = jsonSchema ? withoutIdentity(jsonSchema) : readSchema(schema, "input");
  if (!made)
    throw new Error(`The schema of "${name}" cannot be converted to a JSON schema. Add a jsonSchema to the resource.`);
  markUnique(made, resource.unique);
  markReferences(made, resource.references);
  return made;
}

/** Which values a schema is about: those that it gets, or those that it returns. */
export type Side = "input" | "output";

/** The JSON schema for a schema of any library; undefined if it cannot be converted. */
export function readSchema(schema: object, side: Side): Schema | undefined {
  if (!("~standard" in schema)) return isPlain(schema) ? withoutIdentity(schema) : undefined;
  const { entries } = schema as { entries?: v.ObjectEntries };
  const standard = schema["~standard"] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;
  if (standard.vendor === "valibot")
    return fromValibot("kind" in schema ? schema : v.strictObject(entries ?? {}), side);
  // Zod needs the option for values that JSON does not have.
  const options = { target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } } as const;
  const made = standard.jsonSchema?.[side](options);
  return made && withoutIdentity(made);
}

/** An object of a library, like a schema of joi before 18, says nothing that could be read. */
function isPlain(schema: object): boolean {
  const prototype = Object.getPrototypeOf(schema);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Checks without a keyword in JSON Schema are left out. */
function fromValibot(schema: object, typeMode: Side): Schema {
  const made = toJsonSchema(schema as v.GenericSchema, {
    typeMode,
    target: "draft-2020-12",
    overrideSchema: ({ valibotSchema }) =>
      "described" in valibotSchema ? describeField(valibotSchema.described as object, typeMode) : undefined,
    overrideAction: ({ valibotAction, errors, jsonSchema }) => {
      // The format also allows quoted names and addresses of hosts.
      if (valibotAction.type === "rfc_email") return { ...jsonSchema, pattern: readSource(valibotAction) };
      return errors ? jsonSchema : undefined;
    },
  });
  return withoutIdentity(made);
}

/** A field may have a schema of another library. */
function describeField(schema: object, side: Side): JsonSchema {
  const made = readSchema(schema, side);
  if (!made) throw new Error("The schema of a field cannot be converted to a JSON schema. Add a jsonSchema to it.");
  return made as JsonSchema;
}

const readSource = (action: object) => (action as { requirement: RegExp }).requirement.source.replaceAll("\\/", "/");

/** A copy without what JSON cannot hold, and without what a schema within a document must not have. */
function withoutIdentity(schema: object): Schema {
  const isIdentity = (name: string, value: unknown) => /^\$(id|schema)$/.test(name) && typeof value === "string";
  return JSON.parse(JSON.stringify(schema), (name, value) => (isIdentity(name, value) ? undefined : value));
}
