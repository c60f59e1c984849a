import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { isWholeMatrix } from "../../../backend/test/support/matrix.ts";
import { printStack, specifyService } from "../../src/publish/swarm/specification.ts";
import { project, repository, temporaryFolder, writeOut } from "../support.ts";
import { newProject, noRegistry, registry } from "./support.ts";
import { backendImage, swarmWorld, without } from "./target/engine.ts";
import { targetSuite } from "./target/suite.ts";

const bin = join(repository, "tool/bin/dory.js");

/** Why a test on a real swarm is not possible, if it is not. */
async function obstacle(): Promise<string | false> {
  const state = docker("info", "--format", "{{.Swarm.LocalNodeState}} {{.Swarm.ControlAvailable}}");
  if (state === undefined) return "no container engine answers";
  if (state === "active false") return "the engine is a worker of a swarm";
  return noRegistry();
}

function docker(...args: string[]): string | undefined {
  try {
    return execFileSync("docker", args, { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

interface Ended {
  code: number | null;
  text: string;
}

/** Runs dory in a folder; `docker` is a script that replaces the real one. */
function dory(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}, docker?: string) {
  const programs = docker === undefined ? "" : temporaryFolder();
  if (docker !== undefined) {
    writeFileSync(join(programs, "docker"), `#!/bin/sh\n${docker}\n`);
    chmodSync(join(programs, "docker"), 0o755);
  }
  const PATH = `${programs}${delimiter}${process.env["PATH"]}`;
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...env, PATH } });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, text })));
  return { child, ended };
}

function write(folder: string, document: object): void {
  writeFileSync(join(folder, "dory.json"), JSON.stringify(document));
}

const swift = ["--to", "swarm", "--watch-seconds", "1", "--health-seconds", "40"];
const publish = (...more: string[]) => ["publish", ...swift, "--no-smoke", "--force", "--registry", registry, ...more];

describe("a specification for a swarm", () => {
  const service = {
    name: "api",
    isBuilt: true,
    image: "registry.example/api@sha256:0",
    port: 3000,
    env: { PRICE: "5$" },
    secrets: ["DATABASE_URL"],
    secretsVersion: "abc",
  };
  const common = { application: "shop", service, isOurs: true, replicas: 3, healthMs: 60_000, watchMs: 10_000 };

  test("a service runs without privileges that it does not need, and is replaced start-first", () => {
    const specification = specifyService({ ...common, user: "65532" });
    assert.deepEqual(
      [specification["read_only"], specification["cap_drop"], specification["user"]],
      [true, ["ALL"], "65532"],
    );
    assert.equal(specification.deploy["endpoint_mode"], "dnsrr");
    assert.deepEqual(specification.deploy["update_config"], {
      parallelism: 1,
      order: "start-first",
      monitor: "10s",
      max_failure_ratio: 0,
      failure_action: "rollback",
    });
    assert.equal(specification["stop_grace_period"], "20s");
  });

  test("a secret is a file that only the container's user reads", () => {
    const specification = specifyService({ ...common, user: "65532" });
    assert.deepEqual(specification["environment"], {
      DRAIN_DELAY_MS: "5000",
      PRICE: "5$",
      DATABASE_URL_FILE: "/run/secrets/DATABASE_URL",
    });
    assert.match(specification.secrets?.[0]?.source ?? "", /^DATABASE_URL_[0-9a-f]{16}$/);
    assert.deepEqual(
      { ...specification.secrets?.[0], source: "" },
      { source: "", target: "DATABASE_URL", uid: "65532", mode: 0o400 },
    );
  });

  test("a task that starts is checked after the watch time, and later less often where the engine can", () => {
    const readPace = (more: object) => {
      const { healthcheck } = specifyService({ ...common, watchMs: 1000, user: "65532", ...more });
      return healthcheck;
    };
    const always = { timeout: "10s", retries: 3, start_period: "60s" };
    assert.deepEqual(readPace({}), { interval: "2s", ...always });
    assert.deepEqual(readPace({ hasStartInterval: true }), { start_interval: "2s", interval: "10s", ...always });
    assert.deepEqual(readPace({ watchMs: 60_000 }), { interval: "10s", ...always });
    // Older commands do not know the version that has it.
    for (const [hasStartInterval, version] of [
      [false, "3.9"],
      [true, "3.12"],
    ] as const) {
      const api = specifyService({ ...common, user: "65532", hasStartInterval });
      assert.equal(JSON.parse(printStack({ api })).version, version);
    }
  });

  test("data pins a service to its node, and a dollar sign stays one", () => {
    const specification = specifyService({
      ...common,
      user: "65532",
      data: { volumes: [{ path: "/app/data", name: "shop--api-app-data" }], node: "n1" },
    });
    assert.deepEqual(specification.deploy.placement, { constraints: ["node.id==n1"] });
    assert.match(printStack({ api: specification }), /"5\$\$"/);
  });
});

describe("a swarm that cannot be published to", () => {
  const answering = (swarm: object) => `[ "$1" = info ] && echo '${JSON.stringify(swarm)}' || exit 1`;
  const mistakes: [string, string[], object, RegExp][] = [
    ["no_swarm", ["releases"], { LocalNodeState: "inactive", ControlAvailable: false }, /docker swarm init/],
    ["not_manager", ["status"], { LocalNodeState: "active", ControlAvailable: false }, /docker node promote/],
    ["no_registry", ["publish"], {}, /--registry/],
    ["sqlite_replicas", ["publish", "--replicas", "2"], {}, /postgres: URL/],
  ];
  for (const [code, args, swarm, message] of mistakes)
    test(`reports ${code}`, async () => {
      const folder = writeOut(project({ name: "sw-solo", framework: "koa" }).set("package-lock.json", "{}"));
      const { code: exit, text } = await dory(folder, [...args, "--to", "swarm"], {}, answering(swarm)).ended;
      assert.equal(exit, 1);
      assert.match(text, message);
      assert.ok(text.includes(`(${code})`), text);
    });
});

const reason = isWholeMatrix ? await obstacle() : "left to npm run test:all";

describe("dory publish --to swarm", { skip: reason }, () => {
  const folder = reason ? "" : temporaryFolder();
  const password = "fake-password";
  const url = `postgres://postgres:${password}@database:5432/postgres`;
  const values = { POSTGRES_PASSWORD: password, DATABASE_URL: url };
  const allowed = ["--env", "POSTGRES_PASSWORD,DATABASE_URL"];
  const [shop, solo] = ["http://127.0.0.1:18150", "http://127.0.0.1:18151"];
  let isOurSwarm = false;
  let image: string;

  before(async () => {
    isOurSwarm = docker("info", "--format", "{{.Swarm.LocalNodeState}}") !== "active";
    if (isOurSwarm) assert.ok(docker("swarm", "init", "--advertise-addr", "127.0.0.1"), "docker swarm init failed");
    cpSync(await newProject("api"), join(folder, "api"), { recursive: true });
    writeMigration("0001-notes", "SELECT 1;");
    mkdirSync(join(folder, "solo"));
    cpSync(join(folder, "api"), join(folder, "solo/api"), { recursive: true });
    docker("tag", "postgres:18", `${registry}/postgres:18`);
    docker("push", `${registry}/postgres:18`);
    image = await backendImage("swarm", registry);
  });

  after(async () => {
    for (const at of [folder, join(folder, "solo")])
      await dory(at, ["unpublish", "--to", "swarm", "--delete-data", "--yes", "--wait"]).ended;
    // An engine that leaves a swarm forgets the names of all containers that run, also of those that other tests look at.
    const others = ["ps", "-q", "--filter", "name=^dory-test-", "--filter", "name=^dory-smoke-"];
    for (let waited = 0; isOurSwarm && docker(...others) && waited < 600; waited++) await sleep(1000);
    if (isOurSwarm) docker("swarm", "leave", "--force");
  });

  function writeShop(generation: string, api: Record<string, string> = {}, mail = "one"): void {
    const database = { image: `${registry}/postgres:18`, port: 5432, secrets: ["POSTGRES_PASSWORD"] };
    write(folder, {
      name: "sw-shop",
      id: "0123456789abcdef",
      services: {
        api: { folder: "api", env: { GENERATION: generation, ...api }, secrets: ["DATABASE_URL"] },
        mail: { folder: "api", env: { GENERATION: mail }, secrets: ["DATABASE_URL"] },
        database,
      },
    });
  }

  const writeMigration = (name: string, sql: string) => {
    mkdirSync(join(folder, "api/migrations"), { recursive: true });
    for (const kind of ["postgres", "sqlite"])
      writeFileSync(join(folder, "api/migrations", `${name}.${kind}.sql`), `${sql}\n`);
  };
  const removeMigration = (name: string) => {
    for (const kind of ["postgres", "sqlite"]) rmSync(join(folder, "api/migrations", `${name}.${kind}.sql`));
  };
  const isMigrating = () => docker("service", "inspect", "sw-shop_dory-migrate") !== undefined;
  const readSpec = (service: string) =>
    JSON.parse(docker("service", "inspect", service) ?? "[{}]")[0].Spec.TaskTemplate.ContainerSpec;
  const readEnv = (service: string): string[] => readSpec(service).Env;
  const readSecrets = (service: string): string[] =>
    readSpec(service).Secrets.map(({ SecretName }: { SecretName: string }) => SecretName);

  test("publishes replicas on PostgreSQL, with secrets that only the swarm knows", async () => {
    writeShop("one");
    const { code, text } = await dory(folder, publish(...allowed, "--port", "18150", "--replicas", "2"), values).ended;
    assert.equal(code, 0, text);
    assert.match(text, /r1 is live\nhttp:\/\/localhost:18150/);
    // The database is new, too: it starts before the migrations are applied, and the backends after that.
    assert.match(text, /✓ Start database first[\s\S]*✓ Apply the migrations of api[\s\S]*✓ Start r1/);
    assert.ok(!isMigrating());
    // A database that has just started may need a moment, and the answer says so.
    await eventually(async () => (await post(shop, "first")).status === 201, "an item to be made");
    assert.match(await (await fetch(`${shop}/items`)).text(), /first/);
    assert.doesNotMatch(`${text}${docker("service", "inspect", "sw-shop_api", "sw-shop_database")}`, /fake-password/);
    const { text: status } = await dory(folder, ["status", "--to", "swarm"]).ended;
    assert.match(status, /api: 2 of 2 ready, .*@sha256:/);
    assert.match(status, /database: 1 of 1 ready, .*@sha256:/);
  });

  test("loses no request while it publishes and rolls back a whole release", async () => {
    const [secret] = readSecrets("sw-shop_api");
    const load = startLoad(18150);
    after(() => load.stop());
    writeShop("two");
    const published = await dory(folder, publish(...allowed), {
      ...values,
      DATABASE_URL: `${url}?application_name=two`,
    }).ended;
    assert.equal(published.code, 0, published.text);
    assert.match(published.text, /live now: r1; replicas: 2/);
    assert.ok(readEnv("sw-shop_api").includes("GENERATION=two"));
    assert.notEqual(readSecrets("sw-shop_api")[0], secret);
    const back = await dory(folder, ["rollback", ...swift]).ended;
    assert.equal(back.code, 0, back.text);
    assert.match(back.text, /r3 is live, restored from r1/);
    assert.ok(readEnv("sw-shop_api").includes("GENERATION=one"));
    assert.equal(readSecrets("sw-shop_api")[0], secret);
    const { answered, failures } = await load.stop();
    assert.deepEqual(failures, []);
    assert.ok(answered > 500, `only ${answered} requests`);
  });

  test("applies migrations in a task of their own while the live release serves, and switches nothing if one fails", async () => {
    const load = startLoad(18150);
    after(() => load.stop());
    writeMigration("0002-more", "CREATE TABLE notes (text text);");
    const published = await dory(folder, publish(...allowed), values).ended;
    assert.equal(published.code, 0, published.text);
    assert.match(published.text, /^api: 0002-more {2}applied now$/m);
    assert.match(published.text, /server allows 97 connections/);
    writeMigration("0003-wrong", "ALTER TABLE notes ADD COLUMN;");
    const failed = await dory(folder, publish(...allowed), values).ended;
    assert.equal(failed.code, 1, failed.text);
    assert.match(failed.text, /The migrations of api failed: migrations\/0003-wrong\.postgres\.sql.* syntax error/);
    assert.match(failed.text, /\(migration\)/);
    assert.doesNotMatch(failed.text, /✓ Start r/);
    removeMigration("0003-wrong");
    const { answered, failures } = await load.stop();
    assert.deepEqual(failures, []);
    assert.ok(answered > 100, `only ${answered} requests`);
    assert.ok(!isMigrating());
  });

  test("restores the services that were already replaced if another one fails", async () => {
    // Its migrations are applied, but it cannot listen.
    writeShop("three", { HOST: "192.0.2.1" }, "three");
    const { code, text } = await dory(folder, publish(...allowed), values).ended;
    // Whether the other one served already depends on who was faster.
    assert.ok(code === 1 || code === 2, text);
    assert.match(text, /\(unhealthy\)/);
    assert.ok(readEnv("sw-shop_api").includes("GENERATION=two"));
    assert.ok(readEnv("sw-shop_mail").includes("GENERATION=one"));
    const { text: releases } = await dory(folder, ["releases", "--to", "swarm"]).ended;
    // The release whose migration failed stands before it.
    assert.match(releases, /^(?:r\d+ +failed .*\n){2}r\d+ +live /);
  });

  test("does not use a port that is in use", async () => {
    write(join(folder, "solo"), { name: "sw-solo", id: "0123456789abcdef", services: { solo: { folder: "api" } } });
    const { code, text } = await dory(join(folder, "solo"), publish("--port", "18150")).ended;
    assert.equal(code, 1, text);
    assert.match(text, /Nothing was changed\. \(port_taken\)/);
    assert.equal(docker("service", "ls", "-q", "--filter", "label=dory.swarm=sw-solo"), "");
  });

  test("recovers after a publisher was cut off, and keeps the data of SQLite", async () => {
    const cut = dory(join(folder, "solo"), publish("--port", "18151"));
    for (let tries = 0; tries < 300 && !docker("service", "inspect", "sw-solo_solo"); tries++) await sleep(100);
    cut.child.kill("SIGKILL");
    const first = await dory(join(folder, "solo"), publish("--port", "18151")).ended;
    assert.equal(first.code, 0, first.text);
    assert.equal((await post(solo, "kept")).status, 201);
    write(join(folder, "solo"), {
      name: "sw-solo",
      id: "0123456789abcdef",
      services: { solo: { folder: "api", env: { GENERATION: "2" } } },
    });
    const second = await dory(join(folder, "solo"), publish()).ended;
    assert.equal(second.code, 0, second.text);
    assert.match(await (await fetch(`${solo}/items`)).text(), /kept/);
  });

  targetSuite("a swarm", () => swarmWorld(image), without("whole"), { concurrency: 2 });
});

const post = (url: string, name: string) =>
  fetch(`${url}/items`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });

/** Clients that send requests without end: fast and slow, on kept and on new connections. */
function startLoad(port: number) {
  let isOver = false;
  let answered = 0;
  const failures: string[] = [];
  const once = (method: string, agent: Agent | false) =>
    new Promise<void>((resolve) => {
      const headers = { "Content-Type": "application/json" };
      const sent = httpRequest({ host: "127.0.0.1", port, path: "/items", method, agent, headers });
      const failed = (why: string) => failures.push(`${method} ${why}`);
      sent.once("error", ({ message }) => resolve(void failed(message)));
      sent.once("response", (response) => {
        if (response.statusCode !== (method === "GET" ? 200 : 201)) failed(String(response.statusCode));
        response.resume().once("error", ({ message }) => failed(message));
        response.once("close", resolve);
        answered += 1;
      });
      sent.end(method === "GET" ? undefined : '{"name":"load"}');
    });
  const client = async (method: string, agent: Agent | false, pauseMs: number) => {
    for (; !isOver; await sleep(Math.random() * pauseMs)) await once(method, agent);
  };
  const clients = ["GET", "POST"].flatMap((method) => [
    client(method, new Agent({ keepAlive: true, maxSockets: 1 }), 20),
    client(method, new Agent({ keepAlive: true, maxSockets: 1 }), 1000),
    client(method, false, 50),
  ]);
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { answered, failures };
    },
  };
}
