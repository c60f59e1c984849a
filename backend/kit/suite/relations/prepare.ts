import { type Resource, resourcesIn } from "../document.ts";
import { validItem } from "../items.ts";
import type { FieldSchema } from "../schema.ts";
import { expectJson, post, type Running, type Subject } from "../suite.ts";

/** The resource that a field refers to. */
export function findTarget(field: FieldSchema): string | undefined {
  return (field as { "x-references"?: string })["x-references"];
}

/** The fields that refer to a resource. */
export function listReferring({ item }: Resource): string[] {
  return Object.entries(item.properties).flatMap(([name, field]) => (findTarget(field) ? [name] : []));
}

/** Some ids of each resource that others refer to, by its URL. */
const known = new Map<string, Promise<string[]>>();

/** Creates what reference fields refer to, and sets the ids as their values. */
export async function withReferences<About extends Running & Resource>(subject: About): Promise<About> {
  const properties: Record<string, FieldSchema> = {};
  for (const [name, field] of Object.entries(subject.item.properties)) {
    const to = findTarget(field);
    const { format: _, pattern: __, ...others } = field as FieldSchema & { pattern?: string };
    properties[name] = to === undefined ? field : { ...others, enum: await findIds(subject, to) };
  }
  return { ...subject, item: { ...subject.item, properties } };
}

function findIds(subject: Running & Resource, name: string): Promise<string[]> {
  const target = resourcesIn(subject.document).find(({ path }) => path.endsWith(`/${name}`));
  if (!target) throw new Error(`The document has no resource "${name}", which ${subject.path} refers to.`);
  const place = `${subject.url} ${target.path}`;
  const ids = known.get(place) ?? make({ ...subject, ...target });
  known.set(place, ids);
  return ids;
}

async function make(target: Subject): Promise<string[]> {
  const ready = await withReferences(target);
  const made = [validItem(ready.item), validItem(ready.item)].map(async (item) =>
    expectJson(await post(ready, item), 201),
  );
  return (await Promise.all(made)).map(({ id }) => id);
}
