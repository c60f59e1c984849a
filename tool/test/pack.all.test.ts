import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { frameworks } from "../../backend/src/frameworks/names.ts";
import { installNode, repository, run, temporaryFolder } from "./support.ts";

const thisMajor = process.version.slice(1).split(".")[0] ?? "";
const otherMajors = ["20", "22"];

/** Every feature, and a resource that refers to another one. */
const everything = [
  "--with=auth,cors,item-routes",
  "--webhook=github,stripe,standard,slack",
  "--field=name:string(1..200) unique",
  "--resource=orders: thing:ref(items)",
];

/** Where the packages are installed. Only the owner can read it, like the home of root. */
const folder = temporaryFolder();
/** Where the programs of other versions of Node are. */
const nodes = new Map<string, string>();

// An installed project starts its own PostgreSQL.
delete process.env["TEST_POSTGRES_URL"];

before(async () => {
  chmodSync(folder, 0o700);
  await install(folder, ...(await tarballs()));
  for (const major of otherMajors) nodes.set(major, await installNode(major));
});

describe("the package", () => {
  for (const major of otherMajors)
    test(`is installed on Node ${major}, as every package that it needs allows`, async () => {
      const path = `PATH=${nodes.get(major)}:${process.env["PATH"]}`;
      const flags = ["--engine-strict", "--no-audit", "--no-fund"];
      await run(temporaryFolder(), "env", path, "npm", "install", ...flags, ...(await tarballs()));
    });

  for (const major of [...otherMajors, thisMajor])
    test(`finds a secret on Node ${major}`, async () => {
      const project = join(folder, `leaky-on-${major}`);
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      await run(folder, findNode(major), dory, "new", project, "--framework", "koa", "--no-install");
      writeFileSync(join(project, "package-lock.json"), "{}");
      writeFileSync(join(project, "src/leak.ts"), `ghp_${"0fake1token2".repeat(3)}`);
      await assert.rejects(
        run(project, findNode(major), dory, "publish"),
        /src\/leak\.ts:1 github.*secret_in_context/s,
      );
    });

  for (const major of [...otherMajors, thisMajor])
    test(`makes a project on Node ${major}, without the network`, async () => {
      const node = findNode(major);
      assert.match(await run(folder, node, "--version"), new RegExp(`^v${major}\\.`));
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      await run(folder, node, dory, "new", `on-${major}`, "--framework", "koa", "--no-install");
      const createDory = join(folder, "node_modules/create-dory/bin/create-dory.js");
      await run(folder, node, createDory, `created-on-${major}`, "--framework", "koa", "--no-install");
      for (const name of [`on-${major}`, `created-on-${major}`])
        assert.ok(readdirSync(join(folder, name)).includes(".gitignore"));
    });

  for (const major of otherMajors)
    test(`makes and changes projects with everything on Node ${major}, the same as on Node ${thisMajor}`, async () => {
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      const services = frameworks.flatMap((name) => ["--service", `${name}=${name}`]);
      const make = async (node: string, name: string) => {
        const parent = temporaryFolder();
        await run(parent, node, dory, "new", name, "--node=pinned", "--no-install", ...services, ...everything);
        return listFiles(join(parent, name));
      };
      assert.equal(await make(findNode(major), "shop"), await make(process.execPath, "shop"));
      const grow = async (node: string) => {
        const parent = temporaryFolder();
        await run(parent, node, dory, "new", "grown", "--framework=hono", "--node=pinned", "--no-install");
        const project = join(parent, "grown");
        await run(project, node, dory, "add", "item-routes", "--no-install");
        await run(project, node, dory, "change", "--field", "name:string(..5)", "--no-install");
        return listFiles(project);
      };
      assert.equal(await grow(findNode(major)), await grow(process.execPath));
    });

  for (const major of [...otherMajors, thisMajor])
    test(`checks backends and serves assistants on Node ${major}`, async () => {
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      const check = run(folder, findNode(major), dory, "check", "http://127.0.0.1:9");
      await assert.rejects(check, /Nothing answers at .*\(unreachable\)/);
      const child = spawn(findNode(major), [dory, "mcp"], { cwd: folder });
      let stdout = "";
      child.stdout.on("data", (text) => (stdout += text));
      const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const call = { name: "dory_check", arguments: { url: "http://127.0.0.1:9" } };
      const requests = { initialize: client, "tools/list": {}, "tools/call": call };
      for (const [id, [method, params]] of Object.entries(requests).entries())
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      while (stdout.split("\n").length < 4) await once(child.stdout, "data");
      child.stdin.end();
      assert.deepEqual(await once(child, "close"), [0, null]);
      assert.match(stdout, /"dory_rollback".*\(unreachable\)/s);
    });

  for (const major of otherMajors)
    test(`makes a project that says at once that Node ${major} is too old for it`, async () => {
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      const flags = ["--framework", "koa", "--node", "system", "--no-install"];
      await run(folder, process.execPath, dory, "new", `not-on-${major}`, ...flags);
      const path = `PATH=${nodes.get(major)}:${process.env["PATH"]}`;
      const started = run(join(folder, `not-on-${major}`), "env", path, "npm", "start");
      await assert.rejects(started, new RegExp(`">=26" does not match "v${major}\\.`));
    });

  test("makes a project that installs, tests and starts for real", async () => {
    const fields = ["--field", "title:string(1..80)", "--field", "tags:string[]?"];
    const dory = join(folder, "node_modules/dory/bin/dory.js");
    await run(
      folder,
      process.execPath,
      dory,
      "new",
      "real",
      "--framework",
      "fastify",
      "--with",
      "auth,cors",
      ...fields,
    );
    const project = join(folder, "real");
    assert.match(await run(project, "npm", "test"), /^ℹ fail 0$/m);
    await startsAndStops(project);
    await run(project, "npm", "run", "check");
    await run(project, "npm", "run", "format");
    assert.equal(await run(project, "git", "status", "--short"), "");
    await run(project, process.execPath, dory, "change", "--framework", "hono");
    assert.equal(await run(project, "git", "log", "-1", "--format=%s"), "Lock packages\n");
    assert.equal(await run(project, "git", "status", "--short"), "");
    await run(project, "npm", "run", "check");
    await startsAndStops(project);
  });
});

describe("npm create dory", () => {
  test("makes a project, and says what to do next", async () => {
    const said = await run(folder, "npm", "create", "dory", "my-api", "--", "--framework", "hono", "--no-install");
    assert.match(said, /cd my-api\n {2}npm install && npm start\n {2}npm test/);
    assert.ok(readdirSync(join(folder, "my-api")).includes(".git"));
  });

  test("prints how to pass flags that npm read as its own", async () => {
    await assert.rejects(run(folder, "npm", "create", "dory", "x", "--framework", "hono"), /npm create dory NAME -- /);
    await assert.rejects(run(folder, "npm", "create", "dory", "x", "--framework=hono"), /npm create dory NAME -- /);
  });

  test("helps with commands that work without anything installed", async () => {
    assert.match(await run(folder, "npm", "create", "dory", "--", "--help"), /^npx dory .*npm create dory NAME -- /m);
  });

  test("has the tool's version", () => {
    const [tool, create] = ["tool", "create"].map((name) =>
      JSON.parse(readFileSync(join(repository, name, "package.json"), "utf8")),
    );
    assert.deepEqual([create.version, create.dependencies], [tool.version, { dory: tool.version }]);
  });
});

/** What is committed, except the file with an id that is never the same. */
async function listFiles(project: string): Promise<string> {
  const tree = await run(project, "git", "ls-tree", "-r", "HEAD");
  return tree.replace(/^.*\tdory\.json\n/m, "");
}

function findNode(major: string): string {
  return major === thisMajor ? process.execPath : join(nodes.get(major) ?? "", "node");
}

/** Packs the packages; returns the paths of the tarballs. */
async function tarballs(): Promise<string[]> {
  const folder = temporaryFolder();
  for (const name of ["tool", "create"])
    await run(join(repository, name), "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
  return readdirSync(folder).map((name) => join(folder, name));
}

async function install(folder: string, ...args: string[]): Promise<void> {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  await run(folder, "npm", "install", "--no-audit", "--no-fund", ...args);
}

async function startsAndStops(project: string): Promise<void> {
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1" };
  const child = spawn("npm", ["start"], { cwd: project, env, detached: true });
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const [, port] = /"listening","port":(\d+)/.exec(output) ?? [];
      if (port) resolve(Number(port));
    });
    child.once("exit", () => reject(new Error(`npm start ended: ${output}`)));
  });
  const [, token] = /^API_TOKENS=(.*)$/m.exec(readFileSync(join(project, ".env"), "utf8")) ?? [];
  const fetchStatus = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/items`, { headers })).status;
  assert.equal(await fetchStatus({}), 401);
  assert.equal(await fetchStatus({ Authorization: `Bearer ${token}` }), 200);
  // To all processes of npm, as a terminal does: npm does not forward signals.
  process.kill(-(child.pid as number), "SIGTERM");
  await once(child, "close");
}
