import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { repository, run, temporaryFolder } from "./support.ts";

const bin = join(repository, "tool/bin/dory.js");

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs dory in a folder; `programs` are scripts that stand before the real ones. */
function dory(cwd: string, args: string[], { stdin = "", programs = {} as Record<string, string> } = {}) {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env });
  child.stdin.end(stdin);
  const outcome = new Promise<Outcome>((resolve) => {
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, outcome };
}

describe("dory new", () => {
  test("makes a project with a first commit, and says what to do next", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await dory(folder, ["new", "my-api", "--framework", "koa", "--no-install"]).outcome;
    assert.equal(code, 0);
    assert.match(stdout, /cd my-api\n {2}npm install && npm start\n {2}npm test/);
    assert.deepEqual(readdirSync(folder), ["my-api"]);
    assert.match(await run(join(folder, "my-api"), "git", "log", "--format=%s"), /^First commit$/m);
    assert.equal(await run(join(folder, "my-api"), "git", "status", "--short"), "");
  });

  test("lists the files of a dry run and writes nothing", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await dory(folder, ["new", "my-api", "--framework", "koa", "--dry-run"]).outcome;
    assert.equal(code, 0);
    assert.match(stdout, /^src\/app\.ts$/m);
    assert.deepEqual(readdirSync(folder), []);
  });

  test("takes a request as JSON and answers one JSON result", async () => {
    const folder = temporaryFolder();
    const asked = { name: "my-api", framework: "h3", fields: ["live:boolean"], database: "sqlite", node: "pinned" };
    const stdin = JSON.stringify(asked);
    const { code, stdout } = await dory(folder, ["new", "--json", "--no-install", "--no-git"], { stdin }).outcome;
    assert.equal(code, 0);
    const { ok, request, files } = JSON.parse(stdout);
    assert.deepEqual({ ok, request }, { ok: true, request: JSON.parse(stdin) });
    for (const path of files) assert.ok(existsSync(join(folder, "my-api", path)), path);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, "my-api/dory.json"), "utf8")), request);
  });

  test("takes Node from the machine where it is new enough, and from npm where it is asked for", async () => {
    for (const [node, args] of [
      ["system", []],
      ["system", ["--node", "system"]],
      ["pinned", ["--node", "pinned"]],
    ] as const) {
      const folder = temporaryFolder();
      const flags = ["--framework", "koa", "--no-install", "--no-git", ...args];
      assert.equal((await dory(folder, ["new", "my-api", ...flags]).outcome).code, 0);
      const read = (name: string) => JSON.parse(readFileSync(join(folder, "my-api", name), "utf8"));
      const { engines, optionalDependencies } = read("package.json");
      assert.equal(read("dory.json").node, node);
      assert.deepEqual(engines, node === "system" ? { node: ">=26" } : undefined);
      assert.equal(optionalDependencies === undefined, node === "system");
      assert.equal(existsSync(join(folder, "my-api/.node-version")), node === "system");
    }
  });

  test("takes features in any order, parted by commas or not, and writes them once and in one order", async () => {
    for (const args of [
      ["--with", "cors,auth"],
      ["--with", "cors", "--with", "auth, cors", "--with", "auth"],
    ]) {
      const flags = ["--framework", "koa", "--dry-run", "--json"];
      const { stdout } = await dory(temporaryFolder(), ["new", "my-api", ...flags, ...args]).outcome;
      assert.deepEqual(JSON.parse(stdout).request.features, ["auth", "cors"]);
    }
  });

  test("makes a token of the project's own, for its owner's eyes, and does not commit it", async () => {
    const folder = temporaryFolder();
    const args = ["--framework", "koa", "--with", "auth", "--no-install"];
    const made = await Promise.all(["one", "two"].map((name) => dory(folder, ["new", name, ...args]).outcome));
    const envs = ["one", "two"].map((name) => readFileSync(join(folder, name, ".env"), "utf8"));
    for (const env of envs) assert.match(env, /^API_TOKENS=[\da-f]{64}\n$/);
    assert.notEqual(envs[0], envs[1]);
    assert.equal(statSync(join(folder, "one/.env")).mode & 0o777, 0o600);
    const tracked = await run(join(folder, "one"), "git", "ls-files");
    assert.ok(!tracked.split("\n").includes(".env"));
    const token = envs[0]?.slice("API_TOKENS=".length).trim() ?? "";
    assert.ok(!made.some(({ stdout, stderr }) => (stdout + stderr).includes(token)));
    assert.equal(await run(join(folder, "one"), "git", "status", "--short"), "");
  });

  test("makes no .env for a project that starts without", async () => {
    const folder = temporaryFolder();
    await dory(folder, ["new", "my-api", "--framework", "koa", "--no-install", "--no-git"]).outcome;
    assert.ok(!existsSync(join(folder, "my-api/.env")));
  });

  const nonsense = [
    "null",
    "[]",
    "5",
    '{"name":5}',
    '{"framework":["koa"]}',
    '{"fields":"a:string"}',
    '{"fields":[5]}',
    '{"filds":[]}',
    '{"features":"auth"}',
    '{"features":[5]}',
  ];
  for (const stdin of nonsense)
    test(`says request to the JSON ${stdin}`, async () => {
      const { code, stdout } = await dory(temporaryFolder(), ["new", "--json"], { stdin }).outcome;
      assert.equal(code, 1);
      assert.equal(JSON.parse(stdout).code, "request");
    });

  const mistakes: [string, string[], RegExp][] = [
    ["unknown_framework", ["new", "x", "--framework", "fastfy"], /Did you mean fastify\?/],
    ["unknown_node", ["new", "x", "--framework", "koa", "--node", "20"], /system, pinned/],
    ["unknown_database", ["new", "x", "--framework", "koa", "--database", "mysql"], /both, sqlite, postgres/],
    [
      "unknown_feature",
      ["new", "x", "--framework", "koa", "--with", "atuh"],
      /Did you mean auth\? Choose from: auth, cors/,
    ],
    ["unknown_feature", ["new", "x", "--framework", "koa", "--with", "auth,"], /no feature ""/],
    ["field_type", ["new", "x", "--framework", "koa", "--field", "a:txt"], /Choose from: string/],
    ["field_reserved", ["new", "x", "--framework", "koa", "--field", "id:string"], /another name/],
    ["missing_name", ["new", "--framework", "koa"], /dory new NAME/],
    ["missing_framework", ["new", "x"], /--framework/],
    ["name", ["new", "My Api", "--framework", "koa"], /lower-case/],
    ["name", ["new", "../x", "--framework", "koa"], /lower-case/],
    ["name", ["new", "a".repeat(101), "--framework", "koa"], /100 characters/],
    ["usage", ["new", "x", "--framwork", "koa"], /--framwork/],
    ["usage", ["new", "x", "y", "--framework", "koa"], /"y"/],
    ["unknown_command", ["nwe"], /Did you mean new\?/],
  ];
  for (const [code, args, message] of mistakes)
    test(`says ${code} to: dory ${args.join(" ").slice(0, 60)}`, async () => {
      const folder = temporaryFolder();
      const outcome = await dory(folder, args).outcome;
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, message);
      assert.ok(outcome.stderr.includes(`(${code})`), outcome.stderr);
      assert.doesNotMatch(outcome.stderr, / at .*:\d+/);
      assert.deepEqual(readdirSync(folder), []);
    });

  test("leaves a folder alone that is not empty", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "my-api"));
    writeFileSync(join(folder, "my-api/precious"), "");
    const { code, stderr } = await dory(folder, ["new", "my-api", "--framework", "koa"]).outcome;
    assert.equal(code, 1);
    assert.match(stderr, /\(folder_not_empty\)/);
    assert.deepEqual(readdirSync(join(folder, "my-api")), ["precious"]);
  });

  test("fills a folder that is empty", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "my-api"));
    const { code } = await dory(folder, ["new", "my-api", "--framework", "koa", "--no-install", "--no-git"]).outcome;
    assert.equal(code, 0);
  });

  test("says why when nothing can be written", async () => {
    const { code, stderr } = await dory("/proc", ["new", "my-api", "--framework", "koa"]).outcome;
    assert.equal(code, 1);
    assert.match(stderr, /cannot be written: .* \(cannot_write\)/);
  });

  test("keeps the project when npm fails, and says how to go on", async () => {
    const folder = temporaryFolder();
    const programs = { npm: "echo 'no such registry' >&2; exit 1" };
    const { code, stderr } = await dory(folder, ["new", "my-api", "--framework", "koa"], { programs }).outcome;
    assert.equal(code, 1);
    assert.match(stderr, /no such registry\nGo on with: cd .*my-api && npm install \(npm_install\)/);
    assert.ok(existsSync(join(folder, "my-api/package.json")));
  });

  for (const [npm, script] of Object.entries({
    "npm ends at once": "exec sleep 5",
    "npm still writes for a while": "trap 'sleep 0.5; mkdir -p node_modules/late; exit 1' TERM; sleep 5 & wait",
  }))
    test(`leaves nothing behind when it is interrupted and ${npm}`, async () => {
      const folder = temporaryFolder();
      const { child, outcome } = dory(folder, ["new", "my-api", "--framework", "koa"], { programs: { npm: script } });
      await new Promise((resolve) =>
        child.stdout.on("data", (chunk) => `${chunk}`.includes("Installing") && resolve(null)),
      );
      await sleep(300);
      for (const signal of ["SIGINT", "SIGINT"] as const) child.kill(signal);
      assert.equal((await outcome).code, 130);
      assert.deepEqual(readdirSync(folder), []);
    });
});
