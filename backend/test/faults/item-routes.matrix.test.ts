import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { Client } from "pg";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { Backend } from "../../kit/test/backend.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { create, listAll } from "../support/client.ts";
import { oneOnEach } from "../support/matrix.ts";

const databases = await everyDatabase();
const pairs = oneOnEach(databases);

describe("editors on two processes lose no update, even if one process is killed", { timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of pairs)
    test(`${framework} on ${kind}`, async () => {
      const env = { FRAMEWORK: framework, DATABASE_URL: await newDatabase() };
      const backends = await Promise.all([Backend.start(env), Backend.start(env)]);
      using one = backends[0];
      using other = backends[1];
      const { body } = await create(one.url, "0");
      const path = `/items/${body.id}`;
      let [acknowledged, unknown] = [0, 0];
      /** Increments the value that it read. If an answer is lost, it is not known whether the change was made. */
      const edit = async (url: string) => {
        for (let round = 0; round < 25; round++) {
          const known = await read(url, path).catch(() => undefined);
          if (!known) return;
          const next = { name: `${Number(known.item.name) + 1}` };
          const status = await change(url, path, next, known.tag).catch(() => "lost");
          if (status === 200) acknowledged++;
          if (status === "lost") unknown++;
        }
      };
      const editing = Array.from({ length: 4 }, () => [edit(one.url), edit(other.url)]).flat();
      await eventually(() => acknowledged >= 20, "20 changes to be acknowledged");
      await other.stop("SIGKILL");
      await Promise.all(editing);
      const total = Number((await read(one.url, path)).item.name);
      assert.ok(total >= acknowledged && total <= acknowledged + unknown, `${total}: ${acknowledged} and ${unknown}`);
    });
});

describe("an item that was created before its resource had these routes", { timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of pairs)
    test(`is created once for its key, even after it was changed and deleted: ${framework} on ${kind}`, async () => {
      const url = await newDatabase();
      const env = { FRAMEWORK: framework, DATABASE_URL: url };
      const key = { "Idempotency-Key": "old" };
      const start = await Backend.start(env);
      const made = await create(start.url, "first", key);
      assert.equal(await start.stop(), 0);
      await execute(url, 'DROP TABLE "items_keys"; DROP TABLE "items_deleted"');
      using backend = await Backend.start(env);
      const path = `/items/${made.body.id}`;
      assert.deepEqual((await create(backend.url, "first", key)).body, made.body);
      assert.equal(await change(backend.url, path, { name: "second" }, "*"), 200);
      assert.deepEqual((await create(backend.url, "first", key)).body, made.body);
      const retries = Array.from({ length: 10 }, () => create(backend.url, "first", key));
      const [deleted, ...answers] = await Promise.all([change(backend.url, path, undefined, "*"), ...retries]);
      assert.equal(deleted, 204);
      for (const { body } of [...answers, await create(backend.url, "first", key)]) assert.deepEqual(body, made.body);
      assert.deepEqual(await listAll(backend.url), []);
    });
});

async function read(url: string, path: string): Promise<{ item: { name: string }; tag: string }> {
  const response = await fetch(url + path, { headers: credentials });
  return { item: (await response.json()) as { name: string }, tag: response.headers.get("etag") ?? "" };
}

/** Patches an item, or deletes it; resolves with the status. */
async function change(url: string, path: string, patch: object | undefined, tag: string): Promise<number> {
  const headers = { ...credentials, "If-Match": tag, "Content-Type": "application/json" };
  const how = patch ? { method: "PATCH", body: JSON.stringify(patch) } : { method: "DELETE" };
  const response = await fetch(url + path, { headers, ...how });
  await response.text();
  return response.status;
}

async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith("file:")) {
    using database = new DatabaseSync(url.slice(5));
    database.exec(sql);
    return;
  }
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}
