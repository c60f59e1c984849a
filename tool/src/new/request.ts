import { basename, resolve } from "node:path";
import { choices, Fault } from "../fault.ts";
import { defaultFields, type Field, parseFields, writeField } from "./field.ts";

export const frameworks = ["elysia", "express", "fastify", "h3", "hapi", "hono", "koa", "nest"] as const;
export const databases = ["both", "sqlite", "postgres"] as const;
export const features = ["auth", "cors"] as const;
/** Where a project's Node 26 comes from: the machine, or npm. */
export const nodes = ["system", "pinned"] as const;

export type Feature = (typeof features)[number];

/** What was asked for. */
export interface Request {
  name: string;
  framework: (typeof frameworks)[number];
  fields: Field[];
  database: (typeof databases)[number];
  features: Feature[];
  node: (typeof nodes)[number];
}

/** A request as flags and JSON contain it, before it is checked. */
export interface RequestInput {
  name?: string;
  /** Where it is made; by default in a folder of its name. */
  folder?: string;
  framework?: string;
  fields?: string[];
  database?: string;
  features?: string[];
  node?: string;
}

/** Reads the JSON form: an object with these members and no others. */
export function readRequestInput(value: unknown): RequestInput {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Fault("request", 'A request is an object, like {"name":"my-api","framework":"hono"}.');
  const isText = (member: unknown) => typeof member === "string";
  const { publish: _, ...request } = value as { publish?: unknown };
  for (const [name, member] of Object.entries(request)) {
    if (!members.includes(name)) throw new Fault("request", choices("part of a request", name, members));
    const isList = lists.includes(name);
    if (isList ? !(Array.isArray(member) && member.every(isText)) : !isText(member))
      throw new Fault("request", `In a request, "${name}" is ${isList ? "a list of strings" : "a string"}.`);
  }
  return request;
}

const members = ["name", "folder", "framework", "fields", "database", "features", "node", "dory"];
const lists = ["fields", "features"];

export function readRequest(input: RequestInput): Request {
  const { name = "", framework = "", fields, database = "both", features = [], node = "pinned" } = input;
  return {
    name: readName(name),
    framework: oneOf("framework", framework, frameworks),
    fields: fields && fields.length > 0 ? parseFields(fields) : defaultFields,
    database: oneOf("database", database, databases),
    features: readFeatures(features),
    node: oneOf("node", node, nodes),
  };
}

/** The request as `dory.json` records it, from which the project can be made again. */
export function writeRequest({ name, framework, fields, database, features, node }: Request): RequestInput {
  const required = { name, framework, fields: fields.map(writeField), database };
  return { ...required, ...(features.length > 0 ? { features } : {}), node };
}

/** Sorted, each once. */
export function readFeatures(names: readonly string[]): Feature[] {
  const asked = new Set(names.map((name) => oneOf("feature", name, features)));
  return features.filter((feature) => asked.has(feature));
}

function oneOf<T extends string>(what: string, given: string, known: readonly T[]): T {
  const plain = given.toLowerCase();
  const meant = aliases.get(plain) ?? plain;
  const found = known.find((choice) => choice === meant);
  if (!found) throw new Fault(`unknown_${what}`, choices(what, given, known));
  return found;
}

/** Other names that people use. */
const aliases = new Map([
  ...frameworks.flatMap((name) => [`${name}js`, `${name}.js`].map((alias): [string, string] => [alias, name])),
  ["@hapi/hapi", "hapi"],
  ["@nestjs/core", "nest"],
  ["postgresql", "postgres"],
  ["pg", "postgres"],
  ["sqlite3", "sqlite"],
  ["node:sqlite", "sqlite"],
]);

/** The project that a path asks for: the last part is its name. */
export function readPath(path: string): { name: string; folder: string } {
  const name = path === "" ? "" : basename(resolve(path)) || path;
  return { name: readName(name), folder: readFolder(path) };
}

/** Only a shell expands `~`: in quotes or in JSON it would become a folder of that name. */
export function readFolder(path: string): string {
  if (path !== "" && !path.startsWith("~")) return path;
  throw new Fault(
    "folder",
    `"${path}" is not a folder that a project can be made in. Write the path out, like ../my-api.`,
  );
}

/** A name must be valid for npm, for a folder and for a container image. */
export function readName(name: string): string {
  if (/^[a-z0-9]+([._-][a-z0-9]+)*$/.test(name) && name.length <= 100) return name;
  throw new Fault(
    "name",
    `"${name}" cannot name a project: npm, folders and images share the name. Use lower-case letters and digits, with single dots, dashes or underscores between them, at most 100 characters.`,
  );
}
