import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newPostgresDatabases } from "../../backend/test/support/postgres.ts";
import { newSqliteFile } from "../../backend/test/support/sqlite.ts";
import { build, project, writeOut } from "./support.ts";

type Support = typeof import("../../backend/test/support/backend.ts");

const newPostgresDatabase = await newPostgresDatabases();

const name = "name:string(1..200)";
const optional = [
  "price:number?",
  "count:integer?",
  "live:boolean?",
  "due:timestamp?",
  "kind:enum(a|b)?",
  "tags:string[]?",
];

const older = await built([name]);
const newer = await built([name, ...optional]);

/** The backend of a project with these fields. */
async function built(fields: string[]): Promise<Support["Backend"]> {
  const folder = writeOut(project({ framework: "hono", fields }));
  await build(folder);
  const { Backend }: Support = await import(join(folder, "test/support/backend.ts"));
  return Backend;
}

async function post(url: string, item: object) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${url}/items`, { method: "POST", headers, body: JSON.stringify(item) });
  assert.equal(response.status, 201);
  return response.json();
}

describe("a project whose fields change keeps its items", { timeout: 120_000 }, () => {
  for (const [kind, newDatabase] of [["SQLite", newSqliteFile] as const, ["PostgreSQL", newPostgresDatabase] as const])
    test(`on ${kind}: optional fields of every type come and go`, async () => {
      const url = await newDatabase();
      const made: unknown[] = [];
      const add = async (project: Support["Backend"], item: object) => {
        using backend = await project.start({ DATABASE_URL: url });
        made.unshift(await post(backend.url, item));
        assert.equal(await backend.stop(), 0);
      };
      const whole = { price: 5, count: 7, live: false, due: "2026-01-31T12:00:00Z", kind: "a", tags: ["x"] };
      await add(older, { name: "oldest" });
      await add(newer, { name: "whole", ...whole });
      await add(older, { name: "without" });
      using backend = await newer.start({ DATABASE_URL: url });
      const { items } = (await (await fetch(`${backend.url}/items`)).json()) as { items: unknown[] };
      assert.deepEqual(items, made);
      assert.equal(await backend.stop(), 0);
    });
});
