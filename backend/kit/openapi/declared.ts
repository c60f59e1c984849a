import type { ByType, Declaration, Text } from "./declaration.ts";
import type { Schema } from "./example.ts";
import { readSchema, type Side } from "./schema.ts";

/** What a route declares, as JSON schemas. */
export interface Declared {
  body?: { content: ByType<Schema>; isOptional?: boolean; refusal: number; resource?: string | undefined };
  parameters: Parameter[];
  /** The status for a parameter that is declared and does not match. */
  parameterRefusal?: number;
  /** By status, or a range of them like `2XX`. A schema without keywords is of any value. */
  answers: Record<string, Schema>;
  /** Those of them that have several media types. */
  content?: Record<string, ByType<Schema>>;
  text?: Text;
  /** Schemas that the others refer to, by name. */
  definitions: Record<string, Schema>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

export function declaredIn({
  body,
  bodyType = "application/json",
  content = {},
  isBodyOptional = false,
  refusal = 400,
  query,
  params,
  headers,
  cookies,
  parameterRefusal = 400,
  answers = {},
  text = {},
}: Declaration): Declared {
  const definitions: Declared["definitions"] = {};
  const convert = (schema: unknown, side: Side = "input") => lifted(converted(schema, side), definitions);
  const parameters = Object.entries({ query, path: params, header: headers, cookie: cookies }).flatMap(
    ([place, schema]) => (schema === undefined ? [] : parametersIn(place, convert(schema))),
  );
  const convertAll = (schemas: Record<string, unknown>, side?: Side) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema, side)]));
  const byStatus = Object.entries(content.answers ?? {});
  return {
    ...(body !== undefined && {
      body: {
        content: convertAll(content.body ?? { [bodyType]: body }),
        ...(isBodyOptional && { isOptional: true }),
        refusal,
      },
    }),
    parameters,
    ...(parameters.length > 0 && { parameterRefusal }),
    answers: convertAll(answers, "output"),
    content: Object.fromEntries(byStatus.map(([status, byType]) => [status, convertAll(byType, "output")])),
    text,
    definitions,
  };
}

/** What cannot be converted may be anything. */
function converted(schema: unknown, side: Side): Schema {
  if (Object(schema) !== schema) return {};
  try {
    return readSchema(schema as object, side) ?? {};
  } catch {
    return {};
  }
}

/** One parameter for each property. Those of clients and of the server itself are no parameters in OpenAPI. */
function parametersIn(place: string, { properties = {}, required = [] }: Schema): Parameter[] {
  return Object.entries(properties)
    .filter(([name]) => place !== "header" || !/^(accept|content-type|authorization)$/i.test(name))
    .map(([name, schema]) => ({
      name,
      in: place,
      ...(required.includes(name) && !("default" in Object(schema)) && { required: true }),
      schema,
    }));
}

/** Moves the definitions in a schema to others, because references in a document start at its root. */
function lifted(schema: Schema, definitions: Declared["definitions"]): Schema {
  const { $defs = {}, definitions: older = {}, ...rest } = schema as Record<string, Record<string, Schema>>;
  for (const [name, one] of Object.entries({ ...older, ...$defs })) definitions[name] = redirected(one);
  return redirected(rest as Schema);
}

function redirected(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll(/"#\/(\$defs|definitions)\//g, '"#/components/schemas/');
  // A schema that contains itself has no name here.
  return text.includes('"$ref":"#"') ? {} : JSON.parse(text);
}
