import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tokens } from "../../kit/suite/auth/tokens.ts";
import { Backend } from "../../kit/test/backend.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { type Answer, create, listAll } from "../support/client.ts";
import { oneOnEach } from "../support/matrix.ts";

const databases = await everyDatabase();

describe("sixty concurrent retries create one item, and a key is known after a restart", {
  concurrency: 2,
  timeout: 120_000,
}, () => {
  for (const { framework, kind, newDatabase } of oneOnEach(databases))
    test(`${framework} on ${kind}`, async () => {
      const env = { FRAMEWORK: framework, DATABASE_URL: await newDatabase() };
      using backend = await Backend.start(env);
      const id = await race([backend]);
      assert.equal(await backend.stop(), 0);
      using restarted = await Backend.start(env);
      assert.equal((await retry(restarted)).body.id, id);
    });
});

describe("sixty concurrent retries on two replicas create one item", { timeout: 120_000 }, () => {
  for (const [kind, newDatabase] of databases)
    test(`on ${kind}`, async () => {
      const env = { DATABASE_URL: await newDatabase() };
      const [one, other] = await Promise.all([Backend.start(env), Backend.start(env)]);
      using _one = one;
      using _other = other;
      await race([one, other]);
    });
});

test("the database holds neither a token nor its digest", async () => {
  const url = await newSqliteFile();
  using backend = await Backend.start({ DATABASE_URL: url });
  assert.equal((await retry(backend)).status, 201);
  assert.equal(await backend.stop(), 0);
  const kept = readFileSync(fileURLToPath(url), "latin1");
  assert.ok(kept.includes("wanted once"));
  for (const token of tokens)
    for (const secret of [token, hash("sha256", token), hash("sha256", token, "latin1")])
      assert.ok(!kept.includes(secret));
});

function retry({ url }: Backend): Promise<Answer> {
  return create(url, "wanted once", { "Idempotency-Key": "the-one" });
}

/** Creates one item sixty times with one key; resolves with the id that all answers have. */
async function race(backends: Backend[]): Promise<string> {
  const answers = await Promise.all(
    Array.from({ length: 60 / backends.length }, () => backends.map((backend) => retry(backend))).flat(),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  const ids = new Set(answers.map(({ body }) => body.id));
  assert.equal(ids.size, 1);
  const stored = await Promise.all(backends.map(({ url }) => listAll(url)));
  for (const items of stored) assert.deepEqual(new Set(items.map(({ id }) => id)), ids);
  return answers[0]?.body.id ?? "";
}
