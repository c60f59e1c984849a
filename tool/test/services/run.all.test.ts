import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { printAnyEnv } from "../../src/new/print/application/env.ts";
import { databases, frameworks } from "../../src/new/request.ts";
import { readAnyRequest } from "../../src/new/services.ts";
import { writeFiles } from "../../src/new/write.ts";
import { bin, pathWith } from "../dory.ts";
import { backend, project, run, sharePackages, temporaryFolder } from "../support.ts";

/** Serves until it is stopped, and then takes a moment to end. */
const serving = `
  process.on("SIGTERM", () => (console.log("stopping"), setTimeout(() => (console.log("stopped"), process.exit()), 300)));
  console.error("a warning");
  setInterval(() => {}, 1000);
  process.getBuiltinModule("fs").writeFileSync("up", "");
  console.log("up", JSON.stringify(process.env));`;

/** Waits for the service "api", which is that script. */
const untilUp = "until test -e ../api/up; do sleep 0.1; done";

describe("the scripts of an application", () => {
  test("start all services at once, each with its own port and variables, and end them together", async () => {
    const root = writeApplication({
      api: { start: "node serve.js" },
      jobs: { prestart: "echo built && echo here", start: "node serve.js" },
    });
    writeFiles(root, [
      [".env", "API_TOKENS=visibly-fake\nOTHER=no\n"],
      ["api/serve.js", serving],
      ["jobs/serve.js", serving],
    ]);
    using running = launch(root, ["start"], { PORT: "4100" });
    await running.says(/^jobs \| up/m);
    await running.says(/^api {2}\| up/m);
    const [api, jobs] = ["api {2}", "jobs "].map((name) => running.environment(name));
    assert.deepEqual(
      [api.PORT, api.JOBS_URL, api.API_TOKENS, api.OTHER],
      ["4100", "http://127.0.0.1:4101/x", "visibly-fake", undefined],
    );
    assert.deepEqual([jobs.PORT, jobs.JOBS_URL, jobs.API_TOKENS], ["4101", undefined, undefined]);
    running.process.kill("SIGINT");
    assert.equal(await running.exit(), 0);
    assert.match(running.output, /^api {2}\| http:\/\/localhost:4100\njobs \| http:\/\/localhost:4101$/m);
    for (const line of [
      "jobs | built",
      "jobs | here",
      "api  | stopping",
      "jobs | stopping",
      "api  | stopped",
      "jobs | stopped",
      "api  | a warning",
    ])
      assert.equal(running.output.split("\n").filter((one) => one === line).length, 1, line);
  });

  test("end all when one ends, with its exit code, and print which", async () => {
    const root = writeApplication({ api: { start: "node serve.js" }, jobs: { start: `${untilUp} && exit 3` } });
    writeFiles(root, [["api/serve.js", serving]]);
    using running = launch(root, ["start"]);
    assert.equal(await running.exit(), 3);
    assert.ok(running.output.includes(`\njobs | ${untilUp} && exit 3: ended with 3\n`), running.output);
    assert.match(running.output, /^api {2}\| stopped$/m);
  });

  test("test all services one after the other, and print which failed", async () => {
    const root = writeApplication({ api: { test: "exit 4" }, jobs: { test: "echo $0 tested", check: "echo checked" } });
    const all = launch(root, ["test", "api", "jobs", "--only"]);
    assert.equal(await all.exit(), 4);
    assert.match(
      all.output,
      /api: npm run test -- --only[\s\S]*jobs: npm run test[\s\S]*tested --only\n\nFailed in api\.$/m,
    );
    const mistakes: [args: string[], message: string][] = [
      [["test", "job"], 'There is no service "job". There are: api, jobs.'],
      [["tset"], 'No service has a script "tset".'],
      [[], "node scripts/run.js start "],
    ];
    for (const [args, message] of mistakes) {
      const wrong = launch(root, args);
      assert.equal(await wrong.exit(), 1);
      assert.ok(wrong.output.startsWith(message), wrong.output);
    }
  });

  test("install all services, with npm's own flags", async () => {
    const root = writeApplication({ api: {}, jobs: {} });
    const programs = { npm: 'here=$(basename "$PWD"); echo "$@ in $here"; test $here = api' };
    const ci = launch(root, ["install"], { PATH: pathWith(programs), npm_command: "ci" });
    assert.equal(await ci.exit(), 1);
    assert.match(ci.output, /^jobs \| ci in jobs$/m);
    assert.match(ci.output, /^jobs \| npm ci: ended with 1$/m);
  });
});

describe("a generated application", () => {
  const asked = ["api=express", "jobs=koa"];

  test("starts at once on a PostgreSQL from npm, each service with its own items, which are kept", async () => {
    const root = temporaryFolder();
    const [api, jobs] = asked.map((text) => ({ name: text.split("=")[0] ?? "", framework: text.split("=")[1] ?? "" }));
    const services = [
      { ...api, fields: ["count:integer"] },
      { ...jobs, name: "jobs" },
    ];
    writeFiles(root, project({ name: "shop", database: "postgres", services }));
    for (const { name = "" } of services) sharePackages(join(root, name));
    await started(root, async (url) => {
      assert.equal(await post(url("api"), { count: 5 }), 201);
      assert.equal(await post(url("jobs"), { name: "Boat" }), 201);
    });
    await started(
      root,
      async (url) => {
        const { items } = (await (await fetch(url("api"))).json()) as { items: { count: number }[] };
        assert.deepEqual(
          items.map(({ count }) => count),
          [5],
        );
      },
      ["api"],
    );
  });

  test("may have a service in every framework, on any database, with any feature", async () => {
    const root = temporaryFolder();
    const services = frameworks.map((framework, turn) => ({
      name: `${framework}-service`,
      framework,
      database: databases[turn % databases.length] ?? "",
      ...(turn % 2 === 0 ? { features: ["auth", "cors"] } : { webhooks: ["github", "slack"] }),
    }));
    const request = readAnyRequest({ name: "shop", services });
    writeFiles(root, project({ name: "shop", services }));
    writeFiles(root, [[".env", printAnyEnv(request, () => "ab".repeat(32))]]);
    const names = services.map(({ name }) => name);
    for (const name of names) sharePackages(join(root, name));
    const checked = launch(root, ["check"]);
    assert.equal(await checked.exit(), 0, checked.output);
    await started(
      root,
      async (url) => {
        for (const name of names) assert.equal((await fetch(new URL("/health", url(name)))).status, 200, name);
      },
      names,
    );
  });

  test("installs, checks, tests and starts for real", async () => {
    const folder = temporaryFolder();
    const services = asked.flatMap((text) => ["--service", text]);
    delete process.env["TEST_POSTGRES_URL"];
    const more = ["--database", "postgres", "--with", "auth", "--webhook", "github"];
    await run(folder, process.execPath, bin, "new", "shop", ...services, ...more);
    const root = join(folder, "shop");
    assert.equal(await run(root, "git", "status", "--short"), "");
    await run(root, "npm", "run", "check");
    assert.equal((await run(root, "npm", "test")).match(/^ℹ fail 0$/gm)?.length, 2);
    await started(root, async (url) => assert.equal((await fetch(url("jobs"))).status, 401));
    await run(root, process.execPath, bin, "add", "service", "web=hono");
    await run(root, "npm", "test", "web");
    assert.equal(await run(root, "git", "status", "--short"), "");
  });
});

/** An application whose services are scripts. */
function writeApplication(scripts: Record<string, Record<string, string>>): string {
  const root = temporaryFolder();
  const own = { env: { JOBS_URL: "http://jobs:3000/x" }, secrets: ["API_TOKENS"] };
  const services = Object.keys(scripts).map((name) => [name, { framework: "koa", ...(name === "api" && own) }]);
  const runners = [...backend.files].filter(([path]) => path.startsWith("application/"));
  writeFiles(root, [
    ...runners.map(([path, text]): [string, string] => [path.replace("application/", ""), text]),
    ["package.json", '{ "type": "module" }'],
    ["dory.json", JSON.stringify({ services: { ...Object.fromEntries(services), cache: { image: "valkey:8" } } })],
  ]);
  for (const [name, own] of Object.entries(scripts)) {
    mkdirSync(join(root, name, "node_modules"), { recursive: true });
    writeFiles(join(root, name), [["package.json", JSON.stringify({ scripts: own })]]);
  }
  return root;
}

/** A process that is ended with the test. */
function launch(root: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const { DATABASE_URL: _, NODE_TEST_CONTEXT: __, ...rest } = process.env;
  const child = spawn(process.execPath, ["scripts/run.js", ...args], { cwd: root, env: { ...rest, ...env } });
  const closed = once(child, "close");
  const running = {
    process: child,
    output: "",
    says: (text: RegExp) => eventually(() => text.test(running.output), `${text}`, 120_000),
    exit: async () => (await closed)[0] as number | null,
    environment: (name: string) =>
      JSON.parse(new RegExp(`^${name}\\| up (.*)$`, "m").exec(running.output)?.[1] ?? "{}"),
    [Symbol.dispose]: () => void child.kill("SIGTERM"),
  };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (running.output += chunk));
  return running;
}

/** Runs a function while all services of an application serve. */
async function started(
  root: string,
  work: (url: (name: string) => string) => Promise<void>,
  names = ["api", "jobs"],
): Promise<void> {
  using running = launch(root, ["start", ...names], { PORT: "0" });
  const readPort = (name: string) =>
    new RegExp(`^${name} *\\|.*"listening","port":(\\d+)`, "m").exec(running.output)?.[1];
  for (const name of names) await running.says(new RegExp(`^${name} *\\|.*"listening"`, "m"));
  await work((name) => `http://127.0.0.1:${readPort(name)}/items`);
  running.process.kill("SIGTERM");
  assert.equal(await running.exit(), 0, running.output);
}

async function post(url: string, item: object): Promise<number> {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(item) })).status;
}
