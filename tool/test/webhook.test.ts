import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { senders, webhookSecrets } from "../../backend/kit/suite/webhooks/senders.ts";
import { Backend } from "../../backend/kit/test/backend.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { sources } from "../src/new/request.ts";
import { hostileServer } from "./hostile.ts";
import { repository, temporaryFolder } from "./support.ts";

describe("dory webhook send", () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
  });
  after(() => backend.stop());

  test("knows how every source signs", () => assert.deepEqual(Object.keys(senders), [...sources]));

  for (const source of sources)
    test(`signs and sends an event of ${source}, and prints the answer`, async () => {
      const { code, stdout } = await dory(webhookSecrets, "send", source, "--to", backend.url);
      assert.match(stdout, /\/webhooks\/\w+ answered 202 Accepted\n\{"id":"[^"]+"\}\n$/);
      assert.equal(code, 0);
      const isHandled = (line: string) => line.includes("webhook handled") && line.includes(`"source":"${source}"`);
      await eventually(() => backend.logged.some(isHandled), "the event to be handled");
    });

  test("reads the secret from the .env of the folder, or from a file", async () => {
    const folder = temporaryFolder();
    const [secret = ""] = senders["github"]?.fakes ?? [];
    writeFileSync(join(folder, ".env"), `WEBHOOK_GITHUB_SECRETS=${secret}\n`);
    assert.equal((await dory({}, "send", "github", "--to", backend.url, { folder })).code, 0);
    writeFileSync(join(folder, "secret"), `${secret}\n`);
    const env = { WEBHOOK_GITHUB_SECRETS_FILE: join(folder, "secret") };
    assert.equal((await dory(env, "send", "github", "--to", backend.url)).code, 0);
  });

  test("reports why an event is refused, without its secret", async () => {
    const secret = "a-secret-that-the-backend-does-not-know";
    const args = ["send", "github", "--to", `${backend.url}/webhooks/github`, "--json"];
    const { code, stdout } = await dory({ WEBHOOK_GITHUB_SECRETS: secret }, ...args);
    const { ok, status, body } = JSON.parse(stdout);
    assert.deepEqual([code, ok, status, JSON.parse(body).code], [1, false, 401, "invalid_signature"]);
    assert.ok(!stdout.includes(secret));
  });

  test("shows what an answer would do to a terminal, and reads only the beginning of an endless one", async () => {
    using server = await hostileServer();
    const args = ["send", "github", "--to", server.url];
    const { code, stdout } = await dory(webhookSecrets, ...args);
    assert.equal(code, 0);
    assert.match(stdout, /answered 200 \\u009b2J\n\\u001b\]0;title\\u0007red x+\n$/);
    assert.equal(JSON.parse((await dory(webhookSecrets, ...args, "--json")).stdout).ok, true);
  });

  const mistakes: [string, string[], RegExp][] = [
    ["secret_missing", ["send", "github", "--to", "http://127.0.0.1:1"], /WEBHOOK_GITHUB_SECRETS is not set/],
    ["unknown_source", ["send", "bitbucket", "--to", "http://127.0.0.1:1"], /github, stripe, standard, slack/],
    ["unknown_source", ["send", "githb", "--to", "http://127.0.0.1:1"], /Did you mean github\?/],
    ["usage", ["send", "github"], /--to URL/],
    ["usage", ["sned", "github", "--to", "http://127.0.0.1:1"], /dory webhook send SOURCE/],
    ["usage", ["send", "github", "--to", "localhost:3000"], /http: or https:/],
  ];
  for (const [code, args, message] of mistakes)
    test(`reports ${code} for: dory webhook ${args.join(" ")}`, async () => {
      const outcome = await dory({}, ...args);
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, message);
      assert.ok(outcome.stderr.includes(`(${code})`), outcome.stderr);
    });

  test("reports that nothing answers", async () => {
    const { code, stderr } = await dory(webhookSecrets, "send", "slack", "--to", "http://127.0.0.1:1");
    assert.equal(code, 1);
    assert.match(stderr, /Nothing answers at http:\/\/127\.0\.0\.1:1\/webhooks\/slack .*\(unreachable\)/);
  });
});

type Outcome = { code: number; stdout: string; stderr: string };

function dory(env: NodeJS.Dict<string>, ...args: (string | { folder: string })[]): Promise<Outcome> {
  const words = args.filter((arg) => typeof arg === "string");
  const cwd = args.find((arg) => typeof arg === "object")?.folder ?? temporaryFolder();
  const program = [join(repository, "tool/bin/dory.js"), "webhook", ...words];
  return new Promise((resolve) =>
    execFile(process.execPath, program, { env, cwd }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
}
