import assert from "node:assert/strict";
import { type OpenApi, operationsIn } from "../document.ts";
import { validItem } from "../items.ts";
import { type Check, expectJson, post, type Subject, send } from "../suite.ts";
import type { Reply } from "../wire.ts";

export type Item = Record<string, unknown> & { id: string };

/** An item as it was last returned, with its path and its ETag. */
export interface Known {
  path: string;
  item: Item;
  tag: string;
}

/** Whether each item of a resource has its own path, with all methods. */
export function hasItemRoutes(document: OpenApi, path: string): boolean {
  const below = operationsIn(document).filter((one) => one.path.replace(/\/\{[^/]+\}$/, "") === path);
  return ["GET", "PUT", "PATCH", "DELETE"].every((method) => below.some((one) => one.method === method));
}

/** Checks for resources whose items have routes. */
export function forItems(checks: Check[]): Check[] {
  return checks.map(({ run, ...check }) => ({
    ...check,
    run: async (subject) => {
      if (hasItemRoutes(subject.document, subject.path)) await run(subject);
    },
  }));
}

export async function make(subject: Subject, item: unknown = validItem(subject.item), headers = {}): Promise<Known> {
  return known(await post(subject, item, headers), 201);
}

/** The item in a successful answer. */
export function known(reply: Reply, status = 200, path = reply.headers["location"] ?? ""): Known {
  const item = expectJson(reply, status);
  assert.ok(reply.headers["etag"], "ETag");
  return { path, item, tag: reply.headers["etag"] };
}

export async function read(subject: Subject, { path }: Pick<Known, "path">): Promise<Known> {
  return known(await send(subject, { path }), 200, path);
}

/** Sends a change with the known ETag in `If-Match`, unless `headers` replaces it. */
export function change(subject: Subject, method: string, { path, tag }: Known, body?: unknown, headers = {}) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const usual = { "If-Match": tag, ...(body !== undefined && { "Content-Type": type }) };
  return send(subject, { method, path, headers: { ...usual, ...headers }, ...sent });
}

/** Checks that an item has not changed. */
export async function expectUnchanged(subject: Subject, before: Known): Promise<void> {
  assert.deepEqual(await read(subject, before), before);
}

/** The fields of an item, without what the backend adds. */
export function pickFields({ id: _, createdAt: __, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return fields;
}
