import { Fault } from "../fault.ts";
import { resourceExample } from "./choices.ts";
import { parseFields, writeField } from "./field.ts";
import type { Field } from "./field-types.ts";
import { checkCount, checkLength } from "./limits.ts";
import { toNames, toSingular } from "./names.ts";
import { splitOutside } from "./split.ts";

/** A resource other than the items, as it was declared: `orders: quantity:integer(1..), note:string(..500)?`. */
export interface Resource {
  name: string;
  fields: Field[];
}

/** Reads all other resources: their names must differ in the code and in the API. */
export function parseResources(texts: readonly string[]): Resource[] {
  checkCount("resources", texts);
  const resources = texts.map(parseResource);
  const owners = new Map(listSchemas("items").map((schema) => [schema, "items"]));
  for (const { name } of resources) {
    if (resources.filter((one) => one.name === name).length > 1)
      throw new Fault("resource_repeated", `The resource "${name}" is declared twice. Declare it once.`);
    for (const schema of listSchemas(name)) {
      const other = owners.get(schema);
      if (other)
        throw new Fault("resource_name", `"${other}" and "${name}" would both make a schema ${schema}. Rename one.`);
      owners.set(schema, name);
    }
  }
  return resources;
}

/** Writes a resource in the form that `parseResources` reads. */
export function writeResource({ name, fields }: Resource): string {
  return `${name}: ${fields.map(writeField).join(", ")}`;
}

/** The parts of a resource as it is written, before they are checked. */
export function splitResource(text: string): { name: string; fields: string[] } {
  const [name = "", ...rest] = text.split(":");
  return { name: name.trim(), fields: splitOutside(rest.join(":"), /,/) };
}

function parseResource(text: string): Resource {
  checkLength("resource", text);
  const { name, fields } = splitResource(text);
  checkName(name, text);
  if (fields.length === 0)
    throw new Fault("resource_fields", `The resource "${name}" has no fields. Write it like "${resourceExample}".`);
  try {
    return { name, fields: parseFields(fields) };
  } catch (error) {
    if (error instanceof Fault) throw new Fault(error.code, `In the resource "${name}": ${error.message}`);
    throw error;
  }
}

function checkName(name: string, text: string): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name) || name.length > 28)
    throw new Fault(
      "resource_name",
      `"${name}" cannot name a resource. Use lower-case letters, with single dashes between words, at most 28 characters: "${resourceExample}".`,
    );
  const reason = reserved.get(name);
  if (reason) throw new Fault("resource_reserved", `"${name}" cannot name a resource: ${reason}. Choose another name.`);
  if (toSingular(name) === undefined)
    throw new Fault(
      "resource_name",
      `Name a resource in the plural, like orders, categories or order-lines: "${name}" in "${text}" is not.`,
    );
}

const reserved = new Map([
  ["health", "every backend answers there already"],
  ["items", "every backend has them already; --field sets their fields"],
  ["webhooks", "events are received there, with --webhook"],
  ["features", "the project has a folder of this name"],
  ["fields", "the project has a folder of this name"],
  ["parts", "in the code, parts are what an app is made of"],
  ["problems", "in the API, a problem is an error"],
  ["arguments", "JavaScript reserves the word"],
]);

/** The schemas of a resource in `openapi.json`. */
function listSchemas(name: string): string[] {
  const [, title] = toNames(name).types;
  return [title, `New${title}`, `${title}Page`];
}
