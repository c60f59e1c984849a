/** What the forms need of an OpenAPI document. */
export interface OpenApi {
  paths: Record<string, Record<string, OperationObject> & { parameters?: Parameter[] }>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
  security?: object[];
}

interface OperationObject {
  summary?: string;
  description?: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> };
  security?: object[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  examples?: unknown[];
  example?: unknown;
  default?: unknown;
  minLength?: number;
  minimum?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  "x-references"?: string;
}

/** One operation, as its form shows it. */
export interface Operation {
  method: string;
  path: string;
  summary: string;
  parameters: Parameter[];
  contentType: string | undefined;
  /** A body that is right. */
  example: string;
  /** Members of the body that have the id of another resource, with its name. */
  references: Record<string, string>;
  needsToken: boolean;
}

const methods = ["get", "post", "put", "patch", "delete"];

export function listOperations(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [readOperation(document, method, path, operation, item.parameters ?? [])] : [];
    }),
  );
}

function readOperation(
  document: OpenApi,
  method: string,
  path: string,
  operation: OperationObject,
  shared: Parameter[],
): Operation {
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = media?.example ?? (media?.schema && createExample(document, media.schema));
  return {
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? operation.description ?? "",
    parameters: [...shared, ...(operation.parameters ?? [])].flatMap((one) => resolveParameter(document, one)),
    contentType,
    example: body === undefined ? "" : JSON.stringify(body, null, 2),
    references: media?.schema ? findReferences(document, media.schema) : {},
    needsToken: (operation.security ?? document.security ?? []).length > 0,
  };
}

function findReferences(document: OpenApi, schema: Schema): Record<string, string> {
  const { properties = {} } = document.components?.schemas?.[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const pairs = Object.entries(properties).map(([name, property]) => [name, property["x-references"]]);
  return Object.fromEntries(pairs.filter(([, resource]) => resource !== undefined));
}

function resolveParameter(document: OpenApi, parameter: Parameter | { $ref: string }): Parameter[] {
  if (!("$ref" in parameter)) return [parameter];
  const found = document.components?.parameters?.[parameter.$ref.split("/").at(-1) ?? ""];
  return found ? [found] : [];
}

/** A value that a schema accepts, as far as one can tell from it. */
export function createExample(document: OpenApi, schema: Schema, depth = 0): unknown {
  if (schema.$ref !== undefined) {
    const found = document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""];
    return found && depth < 5 ? createExample(document, found, depth + 1) : null;
  }
  const given = [schema.const, schema.examples?.[0], schema.example, schema.default, schema.enum?.[0]];
  const ready = given.find((value) => value !== undefined);
  if (ready !== undefined) return ready;
  const [one] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (one) return createExample(document, one, depth + 1);
  const [type] = [schema.type ?? "object"].flat();
  switch (type) {
    case "string":
      return formats[schema.format ?? ""] ?? "example".padEnd(schema.minLength ?? 0, "x");
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    case "array":
      return schema.items ? [createExample(document, schema.items, depth + 1)] : [];
    case "null":
      return null;
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name))
          .map(([name, property]) => [name, createExample(document, property, depth + 1)]),
      );
  }
}

const formats: Record<string, string> = {
  "date-time": "2026-01-31T12:00:00.000Z",
  date: "2026-01-31",
  uuid: "01890a5d-ac96-774b-bcce-b302099a8057",
  email: "ada@example.com",
  uri: "https://example.com/",
};
