import type { IncomingMessage } from "node:http";
import type { StandardSchemaV1 } from "@standard-schema/spec";

/** What a client sends to change some fields: an object, whatever is in it. */
export const Patch: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "merge-patch",
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: "must be an object" }] }),
  },
};

const maxDepth = 100;

/** RFC 7396. What is nested deeper than any field may be is left as it was sent, for the check of the whole to refuse. */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch) || depth > maxDepth) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value, depth + 1));
  return Object.fromEntries(merged);
}

const mediaType = /^application\/merge-patch\+json(?=\s*(;|$))/i;

export function isMergePatch({ method, headers }: IncomingMessage): boolean {
  return method === "PATCH" && mediaType.test(headers["content-type"] ?? "");
}

/** The request as if the patch had been sent as plain JSON, for those who judge the rest of its headers. */
export function asPlainJson({ headers }: IncomingMessage): IncomingMessage {
  const type = headers["content-type"]?.replace(mediaType, "application/json");
  return { headers: { ...headers, "content-type": type } } as IncomingMessage;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
