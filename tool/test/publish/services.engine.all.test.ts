import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../support.ts";
import { change, docker, newProject, noCompose, noEngine, runDory, unpublish } from "./support.ts";

const application = "dory-test-shop";
const port = 18_182;
const url = `http://localhost:${port}`;
const flags = ["publish", "--port", String(port), "--watch-seconds", "0", "--no-smoke", "--force"];
const allowed = ["--env", "POSTGRES_PASSWORD,DATABASE_URL"];
const password = "visibly-fake-password";
const given = {
  env: {
    POSTGRES_PASSWORD: password,
    DATABASE_URL: `postgres://postgres:${password}@database:5432/postgres`,
  },
};

describe("several services", { skip: noEngine }, () => {
  let folder: string;
  before(async () => {
    folder = temporaryFolder();
    const project = await newProject("api");
    for (const name of ["api", "jobs"]) cpSync(project, join(folder, name), { recursive: true });
    mkdirSync(join(folder, "api/migrations"));
    writeFileSync(join(folder, "api/migrations/0001-first.postgres.sql"), "SELECT 1;\n");
    const services = {
      api: { folder: "api", secrets: ["DATABASE_URL"] },
      jobs: { folder: "jobs", env: { LOG_LEVEL: "warn" } },
      database: { image: "postgres:18", port: 5432, secrets: ["POSTGRES_PASSWORD"] },
    };
    writeFileSync(join(folder, "dory.json"), JSON.stringify({ name: application, id: "0123456789abcdef", services }));
    // What a run that was cut off left behind.
    await unpublish(folder);
  });
  after(() => unpublish(folder));

  const names = async () =>
    (await docker("ps", "--filter", `label=dory.application=${application}`, "--format", "{{.Names}}"))
      .split("\n")
      .sort();

  test("are published as one release and reach each other by name", async () => {
    const { code, stdout, stderr } = await runDory(folder, [...flags, ...allowed], given);
    assert.equal(code, 0, stdout + stderr);
    // The database is new, too: it starts before the migrations are applied, and the backends after that.
    assert.match(stdout, /✓ Start database first[\s\S]*✓ Apply the migrations of api[\s\S]*✓ Start r1/);
    assert.match(stdout, /^api: 0001-first {2}applied now$/m);
    assert.deepEqual(await names(), [
      `${application}--api--r1`,
      `${application}--database--r1`,
      `${application}--jobs--r1`,
    ]);
    const made = await fetch(`${url}/items`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"name":"Boat"}',
    });
    assert.equal(made.status, 201);
    const ask = 'fetch("http://jobs:3000/health").then(async (answer) => console.log(answer.status))';
    assert.equal(await docker("exec", `${application}--api--r1`, "/nodejs/bin/node", "-e", ask), "200");
  });

  test("switch together; a service with data keeps running", async () => {
    const { code, stderr } = await runDory(folder, [...flags, ...allowed], given);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await names(), [
      `${application}--api--r2`,
      `${application}--database--r1`,
      `${application}--jobs--r2`,
    ]);
    const { items } = (await (await fetch(`${url}/items`)).json()) as { items: { name: string }[] };
    assert.deepEqual(
      items.map(({ name }) => name),
      ["Boat"],
    );
  });

  test("all stay unchanged if one of them fails", async () => {
    change(folder, "dory.json", ({ services }) => (services.jobs.env = { LOG_LEVEL: "loud" }));
    const { code, stderr } = await runDory(folder, [...flags, ...allowed], given);
    assert.equal(code, 1);
    assert.match(stderr, /It is not healthy: jobs: dory-test-shop--jobs--r3/);
    assert.deepEqual(await names(), [
      `${application}--api--r2`,
      `${application}--database--r1`,
      `${application}--jobs--r2`,
    ]);
    assert.equal((await fetch(`${url}/items`)).status, 200);
  });

  test("a database is not changed under its data", async () => {
    change(folder, "dory.json", ({ services }) => {
      services.jobs.env = {};
      services.database.env = { POSTGRES_USER: "other" };
    });
    const { code, stderr } = await runDory(folder, [...flags, ...allowed], given);
    assert.equal(code, 1);
    assert.match(stderr, /database keeps data.*\(keeps_data\)/);
    assert.equal((await fetch(`${url}/items`)).status, 200);
  });

  test("get a compose.yaml without secrets, which replaces no other file", async () => {
    assert.equal((await runDory(folder, ["compose"])).code, 0);
    const compose = readFileSync(join(folder, "compose.yaml"), "utf8");
    assert.match(compose, /"build": "\.\/jobs"/);
    assert.match(compose, /"DATABASE_URL": "\$\{DATABASE_URL:\?must be set\}"/);
    assert.ok(!compose.includes(password));
    writeFileSync(join(folder, "compose.yaml"), "services: {}\n");
    assert.match((await runDory(folder, ["compose"])).stderr, /compose_exists/);
    rmSync(join(folder, "compose.yaml"));
  });

  test("get a compose.yaml that Compose reads as it was meant", { skip: noCompose() }, async () => {
    change(folder, "dory.json", ({ services }) => {
      services.jobs.env = { LOG_LEVEL: "warn", PRICE: 'a "b": $5\n' };
      services.database.env = {};
    });
    assert.equal((await runDory(folder, ["compose"])).code, 0);
    const env = { ...process.env, ...given.env };
    const text = execFileSync("docker", ["compose", "config", "--format", "json"], { cwd: folder, env });
    const { services, volumes } = JSON.parse(String(text));
    assert.equal(services.jobs.environment.PRICE, 'a "b": $$5\n');
    assert.deepEqual(Object.keys(volumes), ["api-data", "database-data", "jobs-data"]);
  });
});
