import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { newPostgresDatabases } from "../../backend/kit/test/postgres.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { isInThisRun } from "../../backend/test/support/matrix.ts";
import { build, loadKit, project, writeOut } from "./support.ts";

type Kit = Awaited<ReturnType<typeof loadKit>>;

const newPostgresDatabase = await newPostgresDatabases();

const name = "name:string(1..200)";
const optional = [
  "price:number?",
  "count:integer?",
  "live:boolean?",
  "due:timestamp?",
  "kind:enum(a|b)?",
  "tags:string[]?",
  "day:date?",
  "key:uuid?",
  "contact:email?",
  "website:url?",
  "more:json?",
  "sizes:integer[]?",
  // SQLite's other names for its row numbers.
  "rowid:string?",
  "oid:integer?",
];

const older = await built([name]);
const newer = await built([name, ...optional]);
const latest = await built([
  name,
  ...optional,
  "size:integer=5",
  "on:boolean=true",
  'note:string="it\'s"',
  "list:string[]=[]",
  "code:string(..20)? unique",
]);
const referring = await built([name, "orderId:ref(orders)?"], ["orders: name:string"]);
const unique = await built(["name:string(1..200) unique"]);

/** The backend of a project with these fields. */
async function built(fields: string[], resources: string[] = []): Promise<Kit["Backend"]> {
  const folder = writeOut(project({ framework: "hono", fields, resources }));
  await build(folder);
  const { Backend } = await loadKit(folder);
  return Backend;
}

async function post(url: string, item: object, path = "/items") {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(item) });
  assert.equal(response.status, 201);
  return response.json() as Promise<{ id: string }>;
}

/** Runs SQL directly on the database. */
async function execute(url: string, sql: string): Promise<unknown> {
  if (url.startsWith("file:")) return new DatabaseSync(fileURLToPath(url)).exec(sql);
  const client = new Client(url);
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

const databases = [
  ["SQLite", newSqliteFile],
  ["PostgreSQL", newPostgresDatabase],
].filter(([kind]) => isInThisRun(kind === "SQLite")) as [kind: string, newDatabase: typeof newSqliteFile][];

describe("a project whose fields change keeps its items", { timeout: 120_000 }, () => {
  for (const [kind, newDatabase] of databases)
    test(`on ${kind}: optional fields of every type are added and removed, and fields with defaults are added`, async () => {
      const url = await newDatabase();
      const made: unknown[] = [];
      const add = async (project: Kit["Backend"], item: object) => {
        using backend = await project.start({ DATABASE_URL: url });
        made.unshift(await post(backend.url, item));
        assert.equal(await backend.stop(), 0);
      };
      const whole = { price: 5, count: 7, live: false, due: "2026-01-31T12:00:00Z", kind: "a", tags: ["x"] };
      const further = {
        day: "2026-01-31",
        key: randomUUID(),
        contact: "a@b",
        website: "http://a",
        more: null,
        sizes: [1],
        rowid: "x",
        oid: -1,
      };
      await add(older, { name: "oldest" });
      await add(newer, { name: "whole", ...whole, ...further });
      await add(older, { name: "without" });
      await add(latest, { name: "latest", size: 7, on: false, note: "x", list: ["y"] });
      const defaults = { size: 5, on: true, note: "it's", list: [] };
      const withDefaults = made.map((item) => ({ ...defaults, ...(item as object) }));
      using backend = await latest.start({ DATABASE_URL: url });
      const { items } = (await (await fetch(`${backend.url}/items`)).json()) as { items: unknown[] };
      assert.deepEqual(items, withDefaults);
      assert.equal(await backend.stop(), 0);
    });

  for (const [kind, newDatabase] of databases)
    test(`on ${kind}: a field becomes unique once no value is repeated, also for replicas that start together`, async () => {
      const env = { DATABASE_URL: await newDatabase() };
      const add = async (to: Kit["Backend"], names: string[]) => {
        using backend = await to.start(env);
        for (const name of names) await post(backend.url, { name });
        assert.equal(await backend.stop(), 0);
      };
      await add(older, ["a", "b"]);
      using replicas = new DisposableStack();
      const started = await Promise.all(Array.from({ length: 3 }, () => unique.start(env)));
      for (const replica of started) replicas.use(replica);
      const headers = { "Content-Type": "application/json" };
      const sent = ["a", "c", "c", "d", "c", "e"].map(async (name, index) => {
        const body = JSON.stringify({ name });
        const { url = "" } = started[index % 3] ?? {};
        return (await fetch(`${url}/items`, { method: "POST", headers, body })).status;
      });
      assert.deepEqual((await Promise.all(sent)).sort(), [201, 201, 201, 409, 409, 409]);
      await Promise.all(started.map((replica) => replica.stop()));
      const other = { DATABASE_URL: await newDatabase() };
      using doubled = await older.start(other);
      for (const name of ["a", "a"]) await post(doubled.url, { name });
      assert.equal(await doubled.stop(), 0);
      await assert.rejects(unique.start(other), /DATABASE_URL cannot be used: .*[uU]nique/i);
    });

  for (const [kind, newDatabase] of databases)
    test(`on ${kind}: a field that refers to a resource has a foreign key`, async () => {
      const url = await newDatabase();
      using before = await older.start({ DATABASE_URL: url });
      await post(before.url, { name: "old" });
      assert.equal(await before.stop(), 0);
      using backend = await referring.start({ DATABASE_URL: url });
      const { id: orderId } = await post(backend.url, { name: "first" }, "/orders");
      await post(backend.url, { name: "new", orderId });
      await assert.rejects(execute(url, "DELETE FROM orders"), /foreign key/i);
      await execute(url, "DELETE FROM items");
      await execute(url, "DELETE FROM orders");
      await assert.rejects(post(backend.url, { name: "late", orderId }), /422 !== 201/);
      assert.equal(await backend.stop(), 0);
    });
});
