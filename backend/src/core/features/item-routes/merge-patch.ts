import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Guard } from "../../http/server.ts";
import type { DecidesNames } from "../../resource.ts";

/** What a client sends to change some fields: any object. */
export const MergePatch: StandardSchemaV1<Record<string, unknown>> & DecidesNames = {
  decidesNames: true,
  "~standard": {
    version: 1,
    vendor: "merge-patch",
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: "must be an object" }] }),
  },
};

type Change<T> = { [Name in keyof T]?: T[Name] | null };

/** The same for items of a resource. A typed client knows the fields, which it may leave out; null removes a value. */
export function toPatch<T>(_resource: { schema: StandardSchemaV1<T> }) {
  return MergePatch as StandardSchemaV1<Change<T>> & DecidesNames;
}

const maxDepth = 100;

/** RFC 7396. Values nested deeper than a field may be are not merged: the check of the whole item refuses them. */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch) || depth > maxDepth) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value, depth + 1));
  return Object.fromEntries(merged);
}

const mediaType = /^application\/merge-patch\+json\s*(;|$)/i;

/** Lets a patch be sent with its own media type. */
export const acceptMergePatch: Guard = (req) => {
  if (req.method === "PATCH" && mediaType.test(req.headers["content-type"] ?? "")) req.isJson = true;
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
