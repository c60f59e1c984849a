import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import type { BackendState, BenchResult, CheckSummary, SendAnswer } from "../../src/studio/api.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";
import { open, parse } from "./serve.ts";
import { listEvents, shareInstalledPackages, work } from "./work.ts";

describe("dory studio, with two frameworks side by side", () => {
  let studio: Awaited<ReturnType<typeof open>>;
  let process: ReturnType<typeof dory>["child"];
  let printed = "";
  const taken = createServer();
  const choices = "name=shop&field=name:string(1..50)&with=auth,item-routes&node=system";
  const state = async () => parse(await studio.get("/api/state"));
  const send = async (request: object): Promise<SendAnswer> =>
    parse(await studio.post("/api/send", { headers: {}, ...request }));

  before(async () => {
    shareInstalledPackages();
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    process = dory(temporaryFolder(), ["studio", "--no-open", "--port", String(port)]).child;
    process.stdout.on("data", (chunk) => (printed += chunk));
    await until(() => printed.includes("token="));
    studio = await open(/http:\S+/.exec(printed)?.[0] ?? "");
  });
  after(() => {
    taken.close();
    process.kill("SIGKILL");
  });

  test("a taken port is said, and the next free one is used", () => {
    const { port } = taken.address() as AddressInfo;
    assert.match(printed, new RegExp(`Port ${port} is taken, so it listens on \\d+\\.`));
    assert.notEqual(new URL(studio.url).port, String(port));
  });

  for (const [backend, framework] of [
    ["main", "hono"],
    ["other", "koa"],
  ] as const)
    test(`${framework} is made, started, and answers right and wrong requests`, async () => {
      const started = await work(studio, { kind: "start", backend, query: `${choices}&framework=${framework}` });
      const { state: running, tokens, url } = started.result as BackendState;
      assert.equal(running, "running");
      assert.equal(new URL(url ?? "").hostname, "127.0.0.1");
      const headers = { Authorization: `Bearer ${tokens[0]}`, "Content-Type": "application/json" };
      const post = { backend, method: "POST", path: "/items", headers };
      const right = await send({ ...post, body: '{"name":"First"}' });
      assert.deepEqual([right.status, JSON.parse(right.body).name, right.isTruncated], [201, "First", false]);
      assert.ok(right.headers.some(([name]) => name.toLowerCase() === "location"));
      assert.equal((await send({ ...post, body: '{"name":5}' })).status, 422);
      assert.equal((await send({ backend, method: "GET", path: "/items" })).status, 401);
      assert.equal(
        (await studio.post("/api/send", { backend, method: "GET", path: "http://example.com/", headers })).status,
        400,
      );
    });

  test("the suite runs, each check with its sentence, requests and answers", async () => {
    const { result, fault } = await work(studio, { kind: "check", backend: "main" });
    assert.equal(fault, null);
    const { passed, failed, total } = result as CheckSummary;
    assert.deepEqual([failed, passed], [0, total]);
    const events = await listEvents(studio);
    const [named] = events.flatMap((event) => (event.type === "checks" ? [event.checks] : []));
    const ended = events.flatMap((event) => (event.type === "check" ? [event.check] : []));
    assert.deepEqual(ended.map(({ check }) => check).sort(), named?.toSorted());
    // Two need items that are larger, or a second token.
    assert.ok(ended.filter(({ exchanges }) => exchanges.length === 0).length <= 2);
    const health = ended.find(({ check }) => /health/i.test(check))?.exchanges[0];
    assert.match(health?.request ?? "", /^[A-Z]+ \/health/);
    assert.match(health?.answer ?? "", /^HTTP\/1\.1 \d{3} /);
    const [token = "-"] = (await state()).backends[0].tokens;
    assert.ok(!JSON.stringify(ended).includes(token), "tokens are masked");
  });

  test("a short benchmark compares both, with its spread", async () => {
    const { result, fault } = await work(studio, { kind: "bench", backends: ["main", "other"] });
    assert.equal(fault, null);
    const { request, backends, ratio } = result as BenchResult;
    assert.equal(request, "GET /items");
    for (const { min, median, max } of backends) assert.ok(0 < min && min <= median && median <= max);
    assert.ok(ratio && ratio.min <= ratio.median && ratio.median <= ratio.max);
  });

  test("a backend that is stopped does not answer any more", async () => {
    const { url } = (await state()).backends[0];
    await work(studio, { kind: "stop", backend: "main" });
    const { state: ended, reason } = (await state()).backends[0];
    assert.deepEqual([ended, reason], ["stopped", null]);
    await assert.rejects(fetch(url));
    assert.equal((await studio.post("/api/jobs", { kind: "check", backend: "main" })).status, 409);
  });

  test("a backend that cannot start says why", async () => {
    const query = choices.replace("shop", "elsewhere");
    const { fault } = await work(studio, {
      kind: "start",
      backend: "third",
      query: `${query}&framework=h3&database=postgres`,
    });
    assert.equal(fault?.code, "start");
    assert.match(fault?.message ?? "", /DATABASE_URL/);
  });

  test("if the studio is killed, what it has started ends", async () => {
    const { url } = (await state()).backends[1];
    assert.equal((await fetch(`${url}/health`)).status, 200);
    process.kill("SIGKILL");
    await until(() =>
      fetch(`${url}/health`).then(
        () => false,
        () => true,
      ),
    );
  });

  test("if it is stopped, its temporary folders are gone too", async () => {
    const folder = temporaryFolder();
    const { child, outcome } = dory(folder, ["studio", "--no-open"]);
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    await until(() => text.includes("token="));
    const own = await open(/http:\S+/.exec(text)?.[0] ?? "");
    const before = listTemporary();
    await work(own, { kind: "start", backend: "main", query: `${choices}&framework=hono` });
    const [made] = listTemporary().filter((name) => !before.includes(name));
    assert.ok(made && existsSync(`${tmpdir()}/${made}/main/package.json`));
    child.kill("SIGTERM");
    assert.equal((await outcome).code, 0);
    assert.equal(existsSync(`${tmpdir()}/${made}`), false);
  });
});

const listTemporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith("dory-studio-"));

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 600; waited++) {
    if (await isReached()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("it did not happen within 60 s");
}
