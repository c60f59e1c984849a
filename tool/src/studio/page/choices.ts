import { type FieldParts, joinField, splitField } from "../../new/field-parts.ts";
import { splitOutside } from "../../new/split.ts";
import type { Defaults } from "../api.ts";

/** The choices as the form has them. What is wrong with them, only the server says. */
export interface ProjectChoices {
  name: string;
  framework: string;
  database: string;
  node: string;
  fields: FieldParts[];
  resources: ResourceChoices[];
  features: string[];
  webhooks: string[];
}

export interface ResourceChoices {
  name: string;
  fields: FieldParts[];
}

export const newField = (): FieldParts => ({ name: "", type: "string", isOptional: false, isUnique: false });

/** Reads the choices from the query of an address; parameters have the names of flags. */
export function readChoices(query: string, defaults: Defaults): ProjectChoices {
  const given = new URLSearchParams(query);
  const list = (name: string) => given.getAll(name).flatMap((names) => splitOutside(names, /,/));
  return {
    name: given.get("name") ?? defaults.name,
    framework: given.get("framework") ?? defaults.framework,
    database: given.get("database") ?? defaults.database,
    node: given.get("node") ?? defaults.node,
    fields: (given.has("field") ? given.getAll("field") : defaults.fields).map(readField),
    resources: given.getAll("resource").map(readResource),
    features: list("with"),
    webhooks: list("webhook"),
  };
}

export function writeChoices(choices: ProjectChoices): string {
  const query = new URLSearchParams();
  query.set("name", choices.name);
  query.set("framework", choices.framework);
  for (const field of choices.fields) query.append("field", joinField(field));
  for (const resource of choices.resources) query.append("resource", writeResource(resource));
  query.set("database", choices.database);
  for (const feature of choices.features) query.append("with", feature);
  for (const source of choices.webhooks) query.append("webhook", source);
  query.set("node", choices.node);
  return query.toString();
}

/** A text that has not the form of a field becomes the name of one, so that the fault stands there. */
function readField(text: string): FieldParts {
  return splitField(text) ?? { ...newField(), name: text };
}

function readResource(text: string): ResourceChoices {
  const [name = "", ...rest] = text.split(":");
  return { name: name.trim(), fields: splitOutside(rest.join(":"), /,/).map(readField) };
}

function writeResource({ name, fields }: ResourceChoices): string {
  return `${name}: ${fields.map(quoteDefault).map(joinField).join(", ")}`;
}

/** In the list of a resource, a comma separates fields. */
function quoteDefault(field: FieldParts): FieldParts {
  const { default: written } = field;
  if (written === undefined || /^["[{]/.test(written) || !/[,"()[\]{}]/.test(written)) return field;
  return { ...field, default: JSON.stringify(written) };
}
