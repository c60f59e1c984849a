import { Fault, listChoices } from "../fault.ts";
import type { Resource } from "./resource.ts";

/** Sorts resources after those that they refer to. Refuses unknown and circular references. */
export function inOrder(resources: Resource[]): Resource[] {
  const sorted = new Set<Resource>();
  for (const resource of resources) place(resource, resources, sorted, []);
  return [...sorted];
}

function place(resource: Resource, all: Resource[], sorted: Set<Resource>, above: Resource[]): void {
  if (sorted.has(resource)) return;
  const path = [...above, resource];
  if (above.includes(resource)) throw circleFault(path.slice(path.indexOf(resource)));
  for (const target of findTargets(resource, all)) place(target, all, sorted, path);
  sorted.add(resource);
}

function findTargets({ name, fields }: Resource, all: Resource[]): Resource[] {
  return fields.flatMap((field) => {
    if (field.type !== "ref") return [];
    const target = all.find((one) => one.name === field.to);
    if (target) return [target];
    const known = all.map((one) => one.name);
    const what = `"${field.name}" of the ${name} refers to an unknown resource: ${listChoices("resource", field.to, known)}`;
    throw new Fault("ref_unknown", what);
  });
}

function circleFault(path: Resource[]): Fault {
  const names = path.map(({ name }) => name).join(" → ");
  const what = `These refer to each other in a circle, so none can be created first: ${names}.`;
  return new Fault("ref_circle", `${what} Make one of the fields a uuid.`);
}
