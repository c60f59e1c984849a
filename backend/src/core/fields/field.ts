import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";

/** One line of a resource: what a client may send, and the column that holds it. */
export interface Field<S extends v.GenericSchema = v.GenericSchema> {
  schema: S;
  column: Column;
  /** What messages call several of its values. */
  plural: string;
}

/** A column of a table, the same for every database. */
export interface Column {
  type: ColumnType;
  isRequired: boolean;
  /** For rows that were stored before the column was added. */
  default?: unknown;
}

/** What a column holds. Each database has a type of its own for it. */
export type ColumnType = "text" | "number" | "integer" | "boolean" | "json" | "id";

/** An id is accepted only as it was returned: one database would also match other spellings of it. */
export const isId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

interface FieldOptions {
  column: ColumnType;
  plural?: string;
  /** For `openapi.json`, if it cannot be derived from the schema. */
  jsonSchema?: Record<string, unknown>;
}

type Adapted<S extends StandardSchemaV1> = v.GenericSchema<
  StandardSchemaV1.InferInput<S>,
  StandardSchemaV1.InferOutput<S>
>;

/** A field with a schema of your own, of any library that supports Standard Schema. */
export function field<S extends StandardSchemaV1>(
  schema: S,
  { column, plural = "values", jsonSchema }: FieldOptions,
): Field<Adapted<S>> {
  return { schema: adapt(schema, jsonSchema) as Adapted<S>, column: { type: column, isRequired: true }, plural };
}

/** A field that a client may leave out. */
export function optional<S extends v.GenericSchema>(base: Field<S>): Field<v.OptionalSchema<S, undefined>> {
  return { ...base, schema: v.optional(base.schema), column: { ...base.column, isRequired: false } };
}

/** A field that has this value if a client leaves it out. */
export function withDefault<S extends v.GenericSchema>(
  base: Field<S>,
  value: v.InferInput<S>,
): Field<v.OptionalSchema<S, v.InferInput<S>>> {
  return { ...base, schema: v.optional(base.schema, value), column: { ...base.column, default: value } };
}

function adapt(schema: StandardSchemaV1, jsonSchema?: object): v.GenericSchema {
  if ("~run" in schema && !jsonSchema) return schema as v.GenericSchema;
  const described = Object.assign(v.unknown(), { described: jsonSchema ?? schema });
  return v.pipe(
    described,
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      const result = schema["~standard"].validate(value);
      if (result instanceof Promise) throw new TypeError("The schema of a field must not be asynchronous.");
      if (!result.issues) return result.value;
      for (const { message, path = [] } of result.issues) addIssue({ message, ...toPath(value, path) });
      return NEVER;
    }),
  );
}

type Path = NonNullable<StandardSchemaV1.Issue["path"]>;

/** Valibot has no path where others have an empty one. */
function toPath(input: unknown, path: Path) {
  const [first, ...others] = path.map((step) => {
    const key = typeof step === "object" ? step.key : step;
    return { type: "unknown" as const, origin: "value" as const, input, key, value: undefined };
  });
  return first ? { path: [first, ...others] as [typeof first, ...(typeof first)[]] } : {};
}
