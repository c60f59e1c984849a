import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backend } from "../support/backend.ts";
import { listAll } from "../support/client.ts";
import { everyDatabase } from "../support/databases.ts";
import { Load } from "../support/load.ts";
import { inTurns } from "../support/matrix.ts";

const databases = await everyDatabase();

describe("a walk during writes meets every older item once", { concurrency: 2, timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of inTurns(databases))
    test(`${framework} on ${kind}`, async () => {
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() });
      const earlier = await createSome(backend.url);
      const meanwhile = new Load(backend.url);
      await meanwhile.hasCreated(1);
      const walked = (await listAll(backend.url, 7)).map(({ id }) => id);
      await meanwhile.end();
      assert.ok(meanwhile.acknowledged.length > 0);
      assert.equal(new Set(walked).size, walked.length);
      assert.deepEqual(
        earlier.filter((id) => !walked.includes(id)),
        [],
      );
    });
});

async function createSome(url: string): Promise<string[]> {
  const load = new Load(url);
  await load.hasCreated(100);
  await load.end();
  return load.acknowledged;
}
