import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backend } from "../../kit/test/backend.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { listAll } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { kindsInTurns } from "../support/matrix.ts";

const databases = await everyDatabase();

describe("kill -9 under load loses no acknowledged item", { concurrency: 2, timeout: 120_000 }, () => {
  for (const { framework, kind, newDatabase } of kindsInTurns(databases))
    test(`${framework} on ${kind}`, async () => {
      const env = { FRAMEWORK: framework, DATABASE_URL: await newDatabase() };
      using killed = await Backend.start(env);
      const load = new Load(killed.url);
      await load.hasCreated(100);
      assert.equal(await killed.stop("SIGKILL"), null);
      await load.over();
      using restarted = await Backend.start(env);
      const stored = new Set((await listAll(restarted.url)).map(({ id }) => id));
      assert.deepEqual(
        load.acknowledged.filter((id) => !stored.has(id)),
        [],
      );
    });
});
