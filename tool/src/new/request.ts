import { basename, resolve } from "node:path";
import { Fault, listChoices } from "../fault.ts";
import { readProjectId } from "../project-id.ts";
import { databases, features, frameworks, nodes, simpleFeatures, sources } from "./choices.ts";
import { defaultFields, parseFields, writeField } from "./field.ts";
import type { Field } from "./field-types.ts";
import { checkCount } from "./limits.ts";
import { inOrder } from "./references.ts";
import { parseResources, type Resource, writeResource } from "./resource.ts";

export { databases, features, frameworks, nodes, simpleFeatures, sources };

export type Feature = (typeof features)[number];
export type Source = (typeof sources)[number];

/** What `dory new` is asked to make. */
export interface Request {
  name: string;
  /** Tells it from other projects of the same name. */
  id?: string;
  /** The application that it is a service of. */
  application?: string;
  framework: (typeof frameworks)[number];
  fields: Field[];
  /** Resources other than the items. */
  resources: Resource[];
  database: (typeof databases)[number];
  features: Feature[];
  /** None if webhooks are not among the features. */
  webhooks: Source[];
  node: (typeof nodes)[number];
}

/** A request as flags and JSON contain it, before it is checked. */
export interface RequestInput {
  name?: string;
  id?: string;
  /** The path of the project; by default, its name. */
  folder?: string;
  framework?: string;
  fields?: string[];
  resources?: string[];
  database?: string;
  features?: string[];
  webhooks?: string[];
  node?: string;
}

/** Reads the JSON form: an object with these members and no others. */
export function readRequestInput(value: unknown): RequestInput {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Fault("request", 'A request is an object, like {"name":"my-api","framework":"hono"}.');
  const isText = (member: unknown) => typeof member === "string";
  const { publish: _, ...request } = value as { publish?: unknown };
  for (const [name, member] of Object.entries(request)) {
    if (!members.includes(name))
      throw new Fault("request", listChoices("part of a request", name, [...members, "services"]));
    const isList = (lists as readonly string[]).includes(name);
    if (isList ? !(Array.isArray(member) && member.every(isText)) : !isText(member))
      throw new Fault("request", `In a request, "${name}" is ${isList ? "a list of strings" : "a string"}.`);
  }
  return request;
}

/** The members of a request that are lists: they can be added and removed later. */
export const lists = ["fields", "resources", "features", "webhooks"] as const satisfies (keyof RequestInput)[];
const members = ["name", "id", "folder", "framework", "database", "node", "dory", ...lists];

export function readRequest(input: RequestInput): Request {
  const { name = "", framework = "", fields, database = "both", node = "pinned" } = input;
  const webhooks = readChoices(sourceWords, input.webhooks ?? [], sources);
  return {
    name: readName(name),
    ...(input.id === undefined ? {} : { id: readProjectId(input.id) }),
    framework: readChoice("framework", framework, frameworks),
    ...readResources(fields ?? [], input.resources ?? []),
    database: readChoice("database", database, databases),
    features: [...readFeatures(input.features ?? []), ...(webhooks.length > 0 ? (["webhooks"] as const) : [])],
    webhooks,
    node: readChoice("node", node, nodes),
  };
}

function readResources(own: string[], others: string[]): Pick<Request, "fields" | "resources"> {
  const fields = own.length > 0 ? parseFields(own) : defaultFields;
  const resources = parseResources(others);
  inOrder([{ name: "items", fields }, ...resources]);
  return { fields, resources };
}

/** The request in the form of `dory.json`, from which the project can be made again. */
export function writeRequest(request: Request): RequestInput {
  const { name, id, framework, fields, resources, database, features, webhooks, node } = request;
  const simple = features.filter((feature) => feature !== "webhooks");
  return {
    name,
    ...(id === undefined ? {} : { id }),
    framework,
    fields: fields.map(writeField),
    ...(resources.length > 0 ? { resources: resources.map(writeResource) } : {}),
    database,
    ...(simple.length > 0 ? { features: simple } : {}),
    ...(webhooks.length > 0 ? { webhooks } : {}),
    node,
  };
}

export function readSource(name: string): Source {
  return readChoice(sourceWords, name, sources);
}

const sourceWords = "source of webhooks";

function readFeatures(names: readonly string[]): Feature[] {
  if (names.some((name) => /^webhooks?$/i.test(name)))
    throw new Fault(
      "webhook_sources",
      `Name the sources of webhooks: --webhook ${sources.join(",")}, or some of these.`,
    );
  return readChoices("feature", names, simpleFeatures);
}

/** In the order of the choices, without duplicates. */
function readChoices<T extends string>(what: string, names: readonly string[], known: readonly T[]): T[] {
  checkCount(what === "feature" ? "features" : "sources", names);
  const asked = new Set(names.map((name) => readChoice(what, name, known)));
  return known.filter((one) => asked.has(one));
}

function readChoice<T extends string>(what: string, given: string, known: readonly T[]): T {
  const plain = given.toLowerCase();
  const meant = aliases.get(plain) ?? plain;
  const found = known.find((choice) => choice === meant);
  if (!found) throw new Fault(`unknown_${what.split(" ")[0]}`, listChoices(what, given, known));
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

/** Reads the name and the folder of a project from a path: its last part is the name. */
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
