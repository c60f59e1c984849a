/** The part of a JSON schema that is used here. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  examples?: unknown[];
  [keyword: string]: unknown;
}

/** A value that matches a schema, for documentation; undefined if it could only be guessed. */
export function createExample(schema: Schema): unknown {
  const [given = schema.const ?? schema.enum?.[0]] = schema.examples ?? [];
  if (given !== undefined) return given;
  switch (schema.type) {
    case "string":
      return exampleText(schema);
    case "number":
    case "integer":
      return Math.max(schema.minimum ?? -Infinity, Math.min(schema.maximum ?? Infinity, 1));
    case "boolean":
      return true;
    case "array":
      return exampleList(schema);
    case "object":
      return exampleObject(schema);
    default:
      return undefined;
  }
}

const formats: Record<string, string> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  email: "someone@example.com",
  uri: "https://example.com/",
  uuid: "01a1dfb5-23f9-7600-89d4-567e85082e75",
};

function exampleText({ format, pattern, minLength = 0, maxLength }: Schema): string | undefined {
  if (format !== undefined) return formats[format];
  return pattern === undefined ? "First item".slice(0, maxLength).padEnd(minLength, ".") : undefined;
}

function exampleList({ items = {} }: Schema): unknown[] {
  const one = items.type === "string" && items.format === undefined ? "first" : createExample(items);
  return one === undefined ? [] : [one];
}

function exampleObject({ properties = {}, required = [] }: Schema): object | undefined {
  const members = Object.entries(properties).map(([name, schema]) => [name, createExample(schema)] as const);
  const known = members.filter(([, value]) => value !== undefined);
  const isWhole = required.every((name) => known.some(([one]) => one === name));
  return isWhole ? Object.fromEntries(known) : undefined;
}
