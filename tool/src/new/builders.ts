import { boolean } from "../../../backend/src/core/fields/boolean.ts";
import { choice } from "../../../backend/src/core/fields/choice.ts";
import { date } from "../../../backend/src/core/fields/date.ts";
import { email } from "../../../backend/src/core/fields/email.ts";
import { type Field as BuiltField, optional, withDefault } from "../../../backend/src/core/fields/field.ts";
import { integer } from "../../../backend/src/core/fields/integer.ts";
import { json } from "../../../backend/src/core/fields/json.ts";
import { list } from "../../../backend/src/core/fields/list.ts";
import { number } from "../../../backend/src/core/fields/number.ts";
import { ref } from "../../../backend/src/core/fields/ref.ts";
import { string } from "../../../backend/src/core/fields/string.ts";
import { timestamp } from "../../../backend/src/core/fields/timestamp.ts";
import { unique } from "../../../backend/src/core/fields/unique.ts";
import { url } from "../../../backend/src/core/fields/url.ts";
import { uuid } from "../../../backend/src/core/fields/uuid.ts";
import { resource } from "../../../backend/src/core/resource.ts";
import type { Default, Field, ListedType } from "./field-types.ts";
import { toNames } from "./names.ts";

/** The builders of fields that a project has in `src/core/fields`. */
const builders = {
  boolean,
  choice,
  date,
  email,
  integer,
  json,
  list,
  number,
  optional,
  ref,
  string,
  timestamp,
  unique,
  url,
  uuid,
  withDefault,
};

export type Builder = keyof typeof builders;

/** The code of a field, as data: a call of a builder. */
export interface Call {
  builder: Builder;
  args: (Call | Default | Bounds)[];
}

type Bounds = { min?: number; max?: number };

/** The call that makes a field: what is printed for a project is what is built here. */
export function toCall(field: Field): Call {
  const { isUnique, isOptional, default: value } = field;
  const plain = toPlainCall(field);
  const rule: Call = isUnique ? { builder: "unique", args: [plain] } : plain;
  if (value !== undefined) return { builder: "withDefault", args: [rule, value] };
  return isOptional ? { builder: "optional", args: [rule] } : rule;
}

function toPlainCall(field: Field): Call {
  switch (field.type) {
    case "string":
    case "number":
    case "integer": {
      const { type, min, max } = field;
      const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
      return { builder: type, args: Object.keys(bounds).length > 0 ? [bounds] : [] };
    }
    case "enum":
      return { builder: "choice", args: field.values };
    case "ref":
      return { builder: "ref", args: [field.to] };
    case "boolean":
    case "timestamp":
    case "date":
    case "uuid":
    case "email":
    case "url":
    case "json":
      return { builder: field.type, args: [] };
    default:
      return { builder: "list", args: [{ builder: field.type.slice(0, -2) as ListedType, args: [] }] };
  }
}

export function isCall(value: Call["args"][number]): value is Call {
  return typeof value === "object" && "builder" in value;
}

/** The field as a project has it: its schema and its column. */
export function buildField(field: Field): BuiltField {
  return build(toCall(field));
}

function build({ builder, args }: Call): BuiltField {
  const make = builders[builder] as (...args: unknown[]) => BuiltField;
  return make(...args.map((arg) => (isCall(arg) ? build(arg) : arg)));
}

/** A resource as a project has it. */
export function buildResource({ name, fields }: { name: string; fields: Field[] }) {
  const built = fields.map((field) => [field.name, buildField(field)] as const);
  return resource(name, toNames(name).types[1], Object.fromEntries(built));
}
