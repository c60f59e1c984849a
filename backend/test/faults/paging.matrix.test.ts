import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backend } from "../../kit/test/backend.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { type Client, listAll, withClient } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { oneOnEach } from "../support/matrix.ts";

const databases = await everyDatabase();

describe("a walk during writes visits every older item once", { concurrency: 2, timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of oneOnEach(databases))
    test(`${framework} on ${kind}`, async () => {
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() });
      const earlier = await createSome(backend.url);
      const load = new Load(backend.url, { pauseMs: 2 });
      await load.hasCreated(1);
      const walked = (await listAll(backend.url, 7)).map(({ id }) => id);
      await load.end();
      assert.ok(load.acknowledged.length > 0);
      assert.equal(new Set(walked).size, walked.length);
      assert.deepEqual(
        earlier.filter((id) => !walked.includes(id)),
        [],
      );
    });
});

describe("many clients at the same time", { concurrency: 2, timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of oneOnEach(databases))
    test(`see what they have created, and get the page they ask for: ${framework} on ${kind}`, async () => {
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() });
      await createSome(backend.url);
      const limits = Array.from({ length: 32 }, (_, index) => index + 1);
      await Promise.all(limits.map((limit) => withClient(backend.url, (client) => createAndList(client, limit))));
    });
});

async function createAndList(client: Client, limit: number): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const { body: created } = await client.create(`item ${limit}`);
    const { body: newest } = await client.get("/items?limit=100");
    assert.ok(newest.items?.some(({ id }) => id === created.id));
    assert.equal((await client.get(`/items?limit=${limit}`)).body.items?.length, limit);
  }
  const { status, headers, body } = await client.get("/items?cursor=00000000-0000-7000-8000-000000000000");
  assert.deepEqual([status, body.code, body.requestId], [400, "invalid_query", headers["x-request-id"]]);
}

async function createSome(url: string): Promise<string[]> {
  const load = new Load(url);
  await load.hasCreated(100);
  await load.end();
  return load.acknowledged;
}
