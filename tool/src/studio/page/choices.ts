import { type FieldParts, joinField, splitField } from "../../new/field-parts.ts";
import { joinService, splitService } from "../../new/service-parts.ts";
import { splitOutside } from "../../new/split.ts";
import type { Defaults } from "../api.ts";

/** The choices as the form has them. What is wrong with them, only the server says. */
export interface ProjectChoices {
  name: string;
  /** Empty if services have frameworks of their own. */
  framework: string;
  /** Of an application; without any, it is one backend. */
  services: ServiceChoices[];
  database: string;
  node: string;
  fields: FieldParts[];
  resources: ResourceChoices[];
  features: string[];
  webhooks: string[];
}

export interface ServiceChoices {
  name: string;
  framework: string;
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
  const services = given.getAll("service").map(readService);
  return {
    name: given.get("name") ?? defaults.name,
    framework: given.get("framework") ?? (services.length > 0 ? "" : defaults.framework),
    services,
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
  if (choices.services.length === 0 || choices.framework !== "") query.set("framework", choices.framework);
  for (const service of choices.services) query.append("service", joinService(service));
  for (const field of choices.fields) query.append("field", joinField(field));
  for (const resource of choices.resources) query.append("resource", writeResource(resource));
  query.set("database", choices.database);
  for (const feature of choices.features) query.append("with", feature);
  for (const source of choices.webhooks) query.append("webhook", source);
  query.set("node", choices.node);
  return query.toString();
}

/** The first service gets the framework that is chosen, the next ones that of the one before. */
export function addService({ services, framework }: ProjectChoices): Partial<ProjectChoices> {
  const added = { name: "", framework: services.at(-1)?.framework ?? framework };
  return { services: [...services, added], ...(services.length === 0 ? { framework: "" } : {}) };
}

/** Without services it is one backend again, in the framework of the last one. */
export function removeService({ services, framework }: ProjectChoices, index: number): Partial<ProjectChoices> {
  const left = services.filter((_, at) => at !== index);
  return { services: left, ...(left.length === 0 ? { framework: framework || (services[0]?.framework ?? "") } : {}) };
}

const readService = (text: string): ServiceChoices => ({ framework: "", ...splitService(text) });

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
