import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import { sources as backendSources } from "../../backend/src/core/features/webhooks/sources.ts";
import manifest from "../package.json" with { type: "json" };
import { newCommand } from "../src/commands/new.ts";
import { Fault } from "../src/fault.ts";
import { frameworks, readRequest, readRequestInput, sources } from "../src/new/request.ts";
import { secretsVariable } from "../src/new/webhooks.ts";
import { bin, dory, doryHere } from "./dory.ts";
import { backend, run, temporaryFolder } from "./support.ts";

const quick = ["--framework", "koa", "--no-install", "--no-git"];

/** Makes a project; returns what is printed. */
async function newIn(folder: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await doryHere(folder, ["new", ...args]);
  assert.equal(code, 0, stderr);
  return stdout;
}

describe("dory new", () => {
  test("makes a project with a first commit, and prints what to do next", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await dory(folder, ["new", "my-api", "--framework", "koa", "--no-install"]).outcome;
    assert.equal(code, 0);
    assert.match(stdout, /cd my-api\n {2}npm install && npm start\n {2}npm test/);
    assert.deepEqual(readdirSync(folder), ["my-api"]);
    assert.match(await run(join(folder, "my-api"), "git", "log", "--format=%s"), /^First commit$/m);
    assert.equal(await run(join(folder, "my-api"), "git", "status", "--short"), "");
  });

  test("prints, and writes in the README, what npm start needs on PostgreSQL", async () => {
    const folder = temporaryFolder();
    const flags = ["--database", "postgres", "--no-install", "--no-git"];
    const { stdout } = await doryHere(folder, ["new", "my-api", "--framework", "koa", ...flags]);
    assert.match(stdout, /cd my-api\n {2}export DATABASE_URL=postgres:.*\n {2}npm install && npm start\n/);
    const readme = readFileSync(join(folder, "my-api/README.md"), "utf8");
    assert.match(readme, /^npm install\nexport DATABASE_URL=postgres:.*\nnpm start /m);
    // An application starts its own server.
    const application = await doryHere(folder, ["new", "shop", "--service", "api=koa", ...flags]);
    assert.match(application.stdout, /cd shop\n {2}npm install && npm start\n/);
  });

  test("lists the files of a dry run and writes nothing", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await doryHere(folder, ["new", "my-api", "--framework", "koa", "--dry-run"]);
    assert.equal(code, 0);
    assert.match(stdout, /^src\/app\.ts$/m);
    assert.deepEqual(readdirSync(folder), []);
  });

  test("accepts a request as JSON and prints one JSON result", async () => {
    const folder = temporaryFolder();
    const asked = { name: "my-api", framework: "h3", fields: ["live:boolean"], database: "sqlite", node: "pinned" };
    const stdin = JSON.stringify(asked);
    const { code, stdout } = await dory(folder, ["new", "--json", "--no-install", "--no-git"], { stdin }).outcome;
    assert.equal(code, 0);
    const { ok, request, files, folder: made } = JSON.parse(stdout);
    const { id, ...same } = request;
    assert.deepEqual({ ok, request: same }, { ok: true, request: JSON.parse(stdin) });
    assert.match(id, /^[0-9a-f]{16}$/);
    for (const path of files) assert.ok(existsSync(join(folder, "my-api", path)), path);
    assert.equal(made, join(folder, "my-api"));
    const { dory: version, ...recorded } = JSON.parse(readFileSync(join(folder, "my-api/dory.json"), "utf8"));
    assert.deepEqual(recorded, request);
    assert.equal(version, manifest.version);
  });

  test("uses the machine's Node if it is new enough, and Node from npm on request", async () => {
    for (const [node, args] of [
      ["system", []],
      ["system", ["--node", "system"]],
      ["pinned", ["--node", "pinned"]],
    ] as const) {
      const folder = temporaryFolder();
      const flags = ["--framework", "koa", "--no-install", "--no-git", ...args];
      await newIn(folder, ["my-api", ...flags]);
      const read = (name: string) => JSON.parse(readFileSync(join(folder, "my-api", name), "utf8"));
      const { engines, devEngines, optionalDependencies } = read("package.json");
      assert.equal(read("dory.json").node, node);
      assert.deepEqual(engines, node === "system" ? { node: ">=26" } : undefined);
      assert.equal(devEngines?.runtime.version, engines?.node);
      assert.equal(optionalDependencies === undefined, node === "system");
      assert.equal(existsSync(join(folder, "my-api/.node-version")), node === "system");
    }
  });

  test("accepts features in any order, with or without commas, and writes each once, in a fixed order", async () => {
    for (const args of [
      ["--with", "cors,auth"],
      ["--with", "cors", "--with", "auth, cors", "--with", "auth"],
    ]) {
      const flags = ["--framework", "koa", "--dry-run", "--json"];
      const printed = await newIn(temporaryFolder(), ["my-api", ...flags, ...args]);
      assert.deepEqual(JSON.parse(printed).request.features, ["auth", "cors"]);
    }
  });

  test("makes a token for the project, readable only by its owner, and does not commit it", async () => {
    const folder = temporaryFolder();
    const args = ["--framework", "koa", "--with", "auth", "--no-install"];
    const made = [await doryHere(folder, ["new", "one", ...args]), await doryHere(folder, ["new", "two", ...args])];
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

  test("accepts sources of webhooks, and makes secrets that the backend starts with", async () => {
    const folder = temporaryFolder();
    const args = ["--framework", "koa", "--webhook", "slack,github", "--webhook", "standard,stripe", "--no-install"];
    await doryHere(folder, ["new", "my-api", ...args]);
    const env = parseEnv(readFileSync(join(folder, "my-api/.env"), "utf8"));
    assert.deepEqual(Object.keys(env).sort(), sources.map(secretsVariable).sort());
    assert.equal(new Set(Object.values(env)).size, sources.length);
    for (const source of sources)
      assert.ok(backendSources[source].secret.read(env[secretsVariable(source)] ?? ""), source);
    assert.equal(await run(join(folder, "my-api"), "git", "status", "--short"), "");
    const { webhooks } = JSON.parse(readFileSync(join(folder, "my-api/dory.json"), "utf8"));
    assert.deepEqual(webhooks, [...sources]);
  });

  test("makes no .env for a project that does not need one", async () => {
    const folder = temporaryFolder();
    await newIn(folder, ["my-api", ...quick]);
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
    '{"webhooks":"github"}',
    '{"resources":"orders: n:integer"}',
    '{"resources":[{"name":"orders"}]}',
    '{"name":"x","framework":"koa","folder":5}',
    '{"name":"x","framework":"koa","dory":1}',
  ];
  test("reports request for invalid JSON on stdin", async () => {
    const { code, stdout } = await dory(temporaryFolder(), ["new", "--json"], { stdin: nonsense[0] }).outcome;
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).code, "request");
  });

  for (const text of nonsense)
    test(`reports request for the JSON ${text}`, () => {
      assert.throws(() => readRequestInput(JSON.parse(text)), { code: "request" });
    });

  const mistakes: [string, string[], RegExp][] = [
    ["unknown_framework", ["x", "--framework", "fastfy"], /Did you mean fastify\?/],
    ["unknown_framework", ["x", "--framework", "nest.sj"], /no framework "nest\.sj"/],
    ["unknown_framework", ["x", "--framework", "js"], /Choose from/],
    ["unknown_node", ["x", "--framework", "koa", "--node", "20"], /system, pinned/],
    ["unknown_database", ["x", "--framework", "koa", "--database", "mysql"], /both, sqlite, postgres/],
    ["unknown_feature", ["x", "--framework", "koa", "--with", "atuh"], /Did you mean auth\? Choose from: auth, cors/],
    ["unknown_feature", ["x", "--framework", "koa", "--with", "auth,"], /no feature ""/],
    [
      "unknown_source",
      ["x", "--framework", "koa", "--webhook", "bitbucket"],
      /no source of webhooks "bitbucket"\. Choose from: github, stripe, standard, slack/,
    ],
    ["webhook_sources", ["x", "--framework", "koa", "--with", "webhooks"], /--webhook github,stripe/],
    ["field_type", ["x", "--framework", "koa", "--field", "a:txt"], /Choose from: string/],
    ["field_reserved", ["x", "--framework", "koa", "--field", "id:string"], /another name/],
    ["resource_reserved", ["x", "--framework", "koa", "--resource", "health: a:string"], /another name/],
    ["resource_name", ["x", "--framework", "koa", "--resource", "order: a:string"], /in the plural/],
    ["missing_name", ["--framework", "koa"], /dory new NAME/],
    ["missing_framework", ["x"], /--framework/],
    ["name", ["My Api", "--framework", "koa"], /lower-case/],
    ["name", ["../My Api", "--framework", "koa"], /"My Api" .*lower-case/],
    ["name", ["/", "--framework", "koa"], /"\/" cannot name/],
    ["name", ["", "--framework", "koa"], /"" cannot name/],
    ["folder", ["~/x", "--framework", "koa"], /Write the path out/],
    ["name", ["a".repeat(101), "--framework", "koa"], /100 characters/],
    ["cannot_write", [`${bin}/x/y`, "--framework", "koa"], /a part of the path is a file/],
    ["cannot_write", [`${"a".repeat(300)}/x`, "--framework", "koa"], /too long/],
    ["folder_not_empty", [bin.replace(/[^/]+$/, ""), "--framework", "koa"], /not an empty folder/],
    ["usage", ["x", "--framwork", "koa"], /no flag --framwork\. Did you mean --framework\?/],
    ["usage", ["x", "--framework"], /--framework needs a value/],
    ["usage", ["x", "--openapi", "y"], /dory new has no flag --openapi/],
    ["usage", ["x", "y", "--framework", "koa"], /"y"/],
  ];
  for (const [code, args, message] of mistakes)
    test(`reports ${code} for: dory new ${args.join(" ").slice(0, 60)}`, async () => {
      const folder = temporaryFolder();
      process.chdir(folder);
      await assert.rejects(
        newCommand(args, () => backend),
        (fault) => {
          assert.ok(fault instanceof Fault, String(fault));
          assert.equal(fault.code, code);
          assert.match(fault.message, message);
          return true;
        },
      );
      assert.deepEqual(readdirSync(folder), []);
    });

  test("reports a mistake in one line, with its code and without a stack", async () => {
    const folder = temporaryFolder();
    for (const [code, args, message] of [
      ["unknown_command", ["nwe"], /^There is no command "nwe"\. Did you mean new\?/],
      ["unknown_framework", ["new", "x", "--framework", "js"], /^There is no framework "js"\./],
      ["cannot_write", ["new", `${bin}/x`, "--framework", "koa"], /a part of the path is a file/],
    ] as const) {
      const { stderr, ...outcome } = await doryHere(folder, [...args]);
      assert.deepEqual(outcome, { code: 1, stdout: "" }, code);
      assert.match(stderr, message);
      assert.match(stderr, new RegExp(`^[^\n]+ \\(${code}\\)\n$`));
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  test("accepts other names of frameworks and databases, and records its own", async () => {
    const known = {
      framework: { nestjs: "nest", "Express.js": "express", "@hapi/hapi": "hapi", "@nestjs/core": "nest", h3js: "h3" },
      database: { PostgreSQL: "postgres", pg: "postgres", sqlite3: "sqlite", "node:sqlite": "sqlite" },
    };
    for (const [what, names] of Object.entries(known))
      for (const [alias, name] of Object.entries(names))
        assert.equal(readRequest({ name: "x", framework: "koa", [what]: alias })[what as "framework"], name);
    for (const name of frameworks)
      for (const alias of [`${name}js`, `${name}.js`, name.toUpperCase()])
        assert.equal(readRequest({ name: "x", framework: alias }).framework, name);
    const flags = ["--framework", "NestJS", "--database", "pg", "--dry-run", "--json"];
    const { framework, database } = JSON.parse(await newIn(temporaryFolder(), ["x", ...flags])).request;
    assert.deepEqual([framework, database], ["nest", "postgres"]);
  });

  const nameIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name;

  test("accepts a path: its last part is the name, and parent folders are made", async () => {
    for (const [path, cd] of [
      ["../beside", "../beside"],
      ["deep/er/my-api/", "deep/er/my-api/"],
      ["a b/it's/my-api", "'a b/it'\\''s/my-api'"],
      [join(temporaryFolder(), "absolute"), undefined],
    ] as const) {
      const folder = join(temporaryFolder(), "here");
      mkdirSync(folder);
      const printed = await newIn(folder, [path, ...quick]);
      const made = resolve(folder, path);
      assert.equal(nameIn(made), basename(made));
      assert.ok(printed.includes(`\n  cd ${cd ?? path}\n`), printed);
      const { stdout: pwd } = spawnSync("sh", ["-c", `cd ${cd ?? path} && pwd`], { cwd: folder, encoding: "utf8" });
      assert.equal(pwd.trim(), made);
    }
  });

  test("accepts the current folder, which is not replaced, with an existing repository", async () => {
    for (const isRepository of [false, true]) {
      const folder = join(temporaryFolder(), "my-api");
      mkdirSync(folder);
      if (isRepository) await run(folder, "git", "init", "-q");
      const { ino } = statSync(folder);
      assert.doesNotMatch(await newIn(folder, [".", ...quick]), /^ {2}cd /m);
      assert.equal(nameIn(folder), "my-api");
      assert.equal(statSync(folder).ino, ino);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith(".my-api")),
        [],
      );
      assert.equal(existsSync(join(folder, ".git")), isRepository);
    }
  });

  test("accepts a folder in JSON, separate from the name", async () => {
    const folder = temporaryFolder();
    const request = { name: "my-api", framework: "koa", folder: "elsewhere/Any Folder" };
    const args = ["new", "--json", "--no-install", "--no-git"];
    const { stdout } = await dory(folder, args, { stdin: JSON.stringify(request) }).outcome;
    assert.equal(JSON.parse(stdout).folder, join(folder, request.folder));
    assert.equal(nameIn(join(folder, request.folder)), "my-api");
    const again = { ...request, name: "../my-api" };
    const refused = await dory(folder, args, { stdin: JSON.stringify(again) }).outcome;
    assert.equal(JSON.parse(refused.stdout).code, "name");
    for (const [path, code] of [
      ["~/my-api", "folder"],
      ["", "folder"],
      ["a\0b/my-api", "cannot_write"],
    ]) {
      const stdin = JSON.stringify({ ...request, folder: path });
      assert.equal(JSON.parse((await dory(folder, args, { stdin }).outcome).stdout).code, code);
    }
  });

  test("does not change a folder that is not empty", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "my-api"));
    writeFileSync(join(folder, "my-api/precious"), "");
    const { code, stderr } = await doryHere(folder, ["new", "my-api", "--framework", "koa"]);
    assert.equal(code, 1);
    assert.match(stderr, /\(folder_not_empty\)/);
    assert.deepEqual(readdirSync(join(folder, "my-api")), ["precious"]);
  });

  test("fills a folder that is empty", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "my-api"));
    await newIn(folder, ["my-api", ...quick]);
    assert.ok(existsSync(join(folder, "my-api/package.json")));
  });

  test("reports why nothing can be written", async () => {
    const { code, stderr } = await doryHere("/proc", ["new", "my-api", "--framework", "koa"]);
    assert.equal(code, 1);
    assert.match(stderr, /cannot be written: .* \(cannot_write\)/);
  });

  test("keeps the project when npm fails, and prints how to continue", async () => {
    const folder = temporaryFolder();
    const programs = { npm: "echo 'no such registry' >&2; exit 1" };
    const { code, stderr } = await doryHere(folder, ["new", "my-api", "--framework", "koa"], { programs });
    assert.equal(code, 1);
    assert.match(stderr, /no such registry\nContinue with: cd .*my-api && npm install \(npm_install\)/);
    assert.ok(existsSync(join(folder, "my-api/package.json")));
  });

  test("prints its version", async () => {
    for (const flag of ["--version", "-v"]) {
      const { code, stdout } = await doryHere(temporaryFolder(), [flag]);
      assert.deepEqual([code, stdout], [0, `${manifest.version}\n`]);
    }
  });

  const npms = {
    "npm ends at once": "exec sleep 30",
    "npm still writes for a while":
      "trap 'sleep 0.5; mkdir -p node_modules/late; exit 1' TERM; sleep 30 >/dev/null 2>&1 & wait",
  };
  for (const [path, npm] of [
    ["deep/er/my-api", "npm still writes for a while"],
    ["empty", "npm ends at once"],
    ["repository", "npm still writes for a while"],
  ] as const)
    test(`leaves nothing behind when it is interrupted in ${path} and ${npm}`, async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "empty"));
      mkdirSync(join(folder, "repository/.git"), { recursive: true });
      const { child, outcome } = dory(folder, ["new", path, "--framework", "koa"], { programs: { npm: npms[npm] } });
      await new Promise((resolve) =>
        child.stdout.on("data", (chunk) => `${chunk}`.includes("Installing") && resolve(null)),
      );
      await sleep(300);
      for (const signal of ["SIGINT", "SIGINT"] as const) child.kill(signal);
      assert.equal((await outcome).code, 130);
      assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), ["empty", "repository", "repository/.git"]);
    });

  test("does not remove parent folders that are used in between", async () => {
    const folder = temporaryFolder();
    const programs = { npm: "touch ../of-another; exec sleep 30" };
    const { child, outcome } = dory(folder, ["new", "deep/er/my-api", "--framework", "koa"], { programs });
    while (!existsSync(join(folder, "deep/er/of-another"))) await sleep(20);
    child.kill("SIGINT");
    assert.equal((await outcome).code, 130);
    assert.deepEqual(readdirSync(join(folder, "deep/er")), ["of-another"]);
  });
});
