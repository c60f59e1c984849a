import { choices, Fault } from "./fault.ts";
import { defaultFields, type Field, parseFields, writeField } from "./field.ts";

export const frameworks = ["elysia", "express", "fastify", "h3", "hapi", "hono", "koa", "nest"] as const;
export const databases = ["both", "sqlite", "postgres"] as const;

/** What was asked for. */
export interface Request {
  name: string;
  framework: (typeof frameworks)[number];
  fields: Field[];
  database: (typeof databases)[number];
}

/** How it is asked for: in flags and in JSON alike. */
export interface Written {
  name?: string;
  framework?: string;
  fields?: string[];
  database?: string;
}

/** Reads the JSON form: an object with these members and no others. */
export function readWritten(value: unknown): Written {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Fault("request", 'A request is an object, like {"name":"my-api","framework":"hono"}.');
  const isText = (member: unknown) => typeof member === "string";
  const { publish: _, ...request } = value as { publish?: unknown };
  for (const [name, member] of Object.entries(request)) {
    if (!members.includes(name)) throw new Fault("request", choices("part of a request", name, members));
    if (name === "fields" ? !(Array.isArray(member) && member.every(isText)) : !isText(member))
      throw new Fault("request", `In a request, "${name}" is ${name === "fields" ? "a list of strings" : "a string"}.`);
  }
  return request;
}

const members = ["name", "framework", "fields", "database"];

export function readRequest({ name = "", framework = "", fields, database = "both" }: Written): Request {
  return {
    name: readName(name),
    framework: oneOf("framework", framework, frameworks),
    fields: fields && fields.length > 0 ? parseFields(fields) : defaultFields,
    database: oneOf("database", database, databases),
  };
}

/** The request as it is written in `dory.json`, to be made again. */
export function writeRequest({ name, framework, fields, database }: Request): Required<Written> {
  return { name, framework, fields: fields.map(writeField), database };
}

function oneOf<T extends string>(what: string, given: string, known: readonly T[]): T {
  const found = known.find((choice) => choice === given);
  if (!found) throw new Fault(`unknown_${what}`, choices(what, given, known));
  return found;
}

/** A name must do for npm, for a folder and for a container image. */
export function readName(name: string): string {
  if (/^[a-z0-9]+([._-][a-z0-9]+)*$/.test(name) && name.length <= 100) return name;
  throw new Fault(
    "name",
    `"${name}" cannot name a project: npm, folders and images share the name. Use lower-case letters and digits, with single dots, dashes or underscores between them, at most 100 characters.`,
  );
}
