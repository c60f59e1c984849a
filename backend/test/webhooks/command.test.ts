import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";
import { apiTokens } from "../../kit/suite/auth/tokens.ts";
import { corsOrigins } from "../../kit/suite/cors/origins.ts";
import { webhookSecrets } from "../../kit/suite/webhooks/senders.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import type { Claimed, Inbox } from "../../src/core/features/webhooks/inbox/inbox.ts";
import { createStore } from "../../src/core/store/open.ts";
import { features } from "../../src/features.ts";

const bundle = join(import.meta.dirname, "../../dist/webhooks.cjs");

for (const [kind, newDatabase] of await everyDatabase())
  test(`npm run webhooks lists, shows, retries and drops parked events on ${kind}`, async () => {
    const url = await newDatabase();
    assert.deepEqual(await webhooks(url), { code: 0, stdout: "No webhook is parked.\n", stderr: "" });
    const store = createStore({ databaseUrl: url, handlerTimeoutMs: 20_000 }, features);
    const { inbox } = store;
    await store.open();
    const numbers = [await park(inbox, "first"), await park(inbox, "second"), await park(inbox, "third")];
    const [first = 0, second = 0] = numbers;

    const { stdout } = await webhooks(url, "list");
    assert.deepEqual(
      stdout.split("\n").map((line) => line.split("  ").slice(1, 4).join()),
      ["github,push,third", "github,push,second", "github,push,first", ""],
    );
    assert.match(stdout, /1 attempts {2}Error: no luck\n/);
    assert.match((await webhooks(url, "show", `${first}`)).stdout, /first.*\n\n\{"n": 1\}\n$/s);
    assert.equal((await webhooks(url, "retry", `${first}`)).stdout, "To be tried again: 1\n");
    assert.equal((await webhooks(url, "drop", `${second}`)).stdout, `Dropped: ${second}\n`);
    assert.equal((await webhooks(url, "retry", "all")).stdout, "To be tried again: 1\n");
    const due = (await inbox.claim(10, 1000)).map(({ id, attempt }) => `${id} ${attempt}`);
    assert.deepEqual(due.sort(), ["first 1", "third 1"]);
    await store.close();

    for (const verb of ["show", "retry", "drop"]) {
      const { code, stderr } = await webhooks(url, verb, "12345");
      assert.deepEqual([code, stderr], [1, "No webhook is parked under the number 12345.\n"]);
    }
  });

test("npm run webhooks shows control characters instead of sending them to the terminal", async () => {
  const url = await newSqliteFile();
  const store = createStore({ databaseUrl: url, handlerTimeoutMs: 20_000 }, features);
  const { inbox } = store;
  await store.open();
  const body = '{\r\n\t"text": "\u009b31m\u007f\u202e"\n}';
  const number = await park(inbox, "red", {
    body,
    error: "Error: \u001b[31m\u001b]0;title\u0007\rNo webhook is parked.",
  });
  await store.close();
  const { stdout } = await webhooks(url, "show", `${number}`);
  const [line = "", , ...shown] = stdout.split("\n");
  assert.match(line, / {2}Error: \\u001b\[31m\\u001b\]0;title\\u0007\\u000dNo webhook is parked\.$/);
  assert.equal(shown.join("\n"), '{\r\n\t"text": "\\u009b31m\\u007f\\u202e"\n}\n');
  assert.deepEqual(JSON.parse(shown.join("\n")), JSON.parse(body));
});

describe("npm run webhooks says in a line or two what is wrong", () => {
  for (const args of [
    ["lst"],
    ["show"],
    ["show", "x"],
    ["show", "1", "2"],
    ["list", "1"],
    ["drop", "all"],
    ["__proto__"],
  ])
    test(`with ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await webhooks("file:/dev/null/none.db", ...args);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^npm run webhooks/);
    });

  test("with a database that cannot be used", async () => {
    for (const url of ["file:/dev/null/none.db", "postgres://nobody@127.0.0.1:1/none"]) {
      const { code, stderr } = await webhooks(url);
      assert.equal(code, 1);
      assert.match(stderr, /DATABASE_URL/);
      assert.doesNotMatch(stderr, / at /);
    }
  });
});

async function park(
  inbox: Inbox,
  id: string,
  { body = '{"n": 1}', error = "Error: no luck\nmore" } = {},
): Promise<number> {
  await inbox.accept({ source: "github", id, type: "push", body: Buffer.from(body) });
  const [claimed] = await inbox.claim(1, 60_000);
  await inbox.park(claimed as Claimed, error);
  // The latest comes first.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return claimed?.number ?? 0;
}

type Outcome = { code: number; stdout: string; stderr: string };

function webhooks(url: string, ...args: string[]): Promise<Outcome> {
  const env = { ...apiTokens, ...corsOrigins, ...webhookSecrets, HANDLER_TIMEOUT_MS: "4000", DATABASE_URL: url };
  return new Promise((resolve) =>
    execFile(process.execPath, [bundle, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
}
