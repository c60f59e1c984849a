import assert from "node:assert/strict";
import { appendFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import type { PlanState, PublishResult, ReleasesState } from "../../src/studio/api.ts";
import { emptyApp } from "../publish/flyctl.ts";
import { projectFolder, record } from "../publish/recording.ts";
import { planted, postgresSecret } from "../publish/target/world.ts";
import { run, temporaryFolder } from "../support.ts";
import { parse, serveLocal } from "./serve.ts";
import { listEvents, work } from "./work.ts";

describe("publishing from the studio", () => {
  let studio: Awaited<ReturnType<typeof serveLocal>>;
  let fly: ReturnType<typeof record<ReturnType<typeof emptyApp>>>;
  let folder: string;
  const options = { smoke: false, "watch-seconds": "0", "health-seconds": "5" };
  const state = async () => parse(await studio.get("/api/state"));
  const secrets = { DATABASE_URL: postgresSecret(1) };
  const plan = (more = {}) => work(studio, { kind: "plan", target: "fly", options: { ...options, ...more }, secrets });
  const publish = (job: { result: unknown }) => work(studio, { kind: "publish", plan: (job.result as PlanState).id });

  before(async () => {
    record("docker", "docker.ts", {});
    fly = record("flyctl", "flyctl.ts", emptyApp());
    folder = projectFolder();
    await run(folder, "git", "init", "-q");
    await commit();
    studio = await serveLocal(folder);
  });

  async function commit(): Promise<void> {
    await run(folder, "git", "add", "-A", "--", ":!node_modules");
    await run(folder, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "All");
  }

  test("a missing secret is named before anything is done", async () => {
    const { state: ended, fault } = await work(studio, {
      kind: "plan",
      target: "fly",
      options,
      secrets: { DATABASE_URL: " " },
    });
    assert.deepEqual([ended, fault?.code], ["failed", "secret_missing"]);
    const none = await work(studio, { kind: "plan", target: "nowhere", options: {}, secrets: {} });
    assert.equal(none.fault?.code, "unknown_target");
  });

  test("without a plan nothing is published, and one plan does one publish", async () => {
    const { fault } = await work(studio, { kind: "publish", plan: "plan-guessed" });
    assert.equal(fault?.code, "plan_unknown");
    const planned = await plan();
    assert.deepEqual(planned.fault, null);
    const { text, plan: content, warnings } = planned.result as PlanState;
    assert.match(text, /^shop to fly: commit /);
    assert.deepEqual([content.live, Array.isArray(warnings)], [null, true]);
    assert.equal((await state()).plan.id, (planned.result as PlanState).id);
    const published = await publish(planned);
    assert.equal((published.result as PublishResult).release, "r1");
    assert.equal((await state()).plan, null);
    assert.equal((await publish(planned)).fault?.code, "plan_unknown");
  });

  test("its events are those of --json, and no secret is in them", async () => {
    const events = await listEvents(studio);
    const published = events.flatMap((event) => (event.type === "publish" ? [event.event] : []));
    const steps = published.flatMap((event) =>
      event.event === "step" && event.state === "started" ? [event.step] : [],
    );
    assert.deepEqual(steps.slice(-8), ["build", "push", "secrets", "start", "health", "switch", "watch", "live"]);
    assert.equal(published.at(-1)?.event, "result");
    assert.ok(!JSON.stringify([events, await state()]).includes(planted));
  });

  test("a plan is void when the project has changed", async () => {
    const planned = await plan();
    appendFileSync(join(folder, "src/main.ts"), "// more\n");
    const { fault } = await publish(planned);
    assert.equal(fault?.code, "plan_void");
    await commit();
  });

  test("status has the releases, and a rollback makes the first live again", async () => {
    await publish(await plan({ force: true }));
    const { result } = await work(studio, { kind: "status", target: "fly" });
    const { releases, status, url } = result as ReleasesState;
    assert.deepEqual(
      releases.map(({ id, isLive }) => [id, isLive]),
      [
        ["r2", true],
        ["r1", false],
      ],
    );
    assert.match(status ?? "", /^shop r2 at /);
    assert.match(url ?? "", /^https:/);
    const back = await work(studio, { kind: "rollback", target: "fly" });
    assert.equal(back.fault, null);
    const after = (await work(studio, { kind: "status", target: "fly" })).result as ReleasesState;
    assert.deepEqual(after.releases[0], { ...after.releases[0], id: "r3", restores: "r1", isLive: true });
    assert.deepEqual((await state()).releases.fly, after);
  });

  test("to remove it, its name must be typed", async () => {
    const refused = await work(studio, { kind: "unpublish", target: "fly", name: "Shop" });
    assert.deepEqual([refused.fault?.code, refused.fault?.parameter], ["name", "name"]);
    const calls = fly.commands().length;
    assert.equal((await work(studio, { kind: "unpublish", target: "fly", name: "shop" })).fault, null);
    assert.ok(fly.commands().length > calls);
    assert.equal((await state()).releases.fly, undefined);
  });

  test("values in .env are used for declared secrets only, and are not shown", async () => {
    writeFileSync(join(folder, ".env"), `DATABASE_URL=${postgresSecret(3)}\nOTHER=${planted}\n`);
    assert.deepEqual((await state()).project.knownSecrets, ["DATABASE_URL"]);
    const { fault } = await work(studio, { kind: "plan", target: "fly", options, secrets: { UNDECLARED: "x" } });
    assert.equal(fault, null);
    assert.ok(!JSON.stringify([await state(), await listEvents(studio)]).includes(planted));
  });

  test("a value in .env that Node would truncate is refused, as --env-file refuses it", async () => {
    writeFileSync(join(folder, ".env"), "DATABASE_URL=postgres://a#b\n");
    const { fault } = await work(studio, { kind: "plan", target: "fly", options, secrets: {} });
    assert.equal(fault?.code, "env_file");
    assert.deepEqual((await state()).project.knownSecrets, []);
  });

  test("a .env that is a link out of the studio's folder is not read", async () => {
    const outside = join(temporaryFolder(), "variables");
    writeFileSync(outside, `DATABASE_URL=${postgresSecret(4)}\n`);
    rmSync(join(folder, ".env"));
    symlinkSync(outside, join(folder, ".env"));
    const { fault } = await work(studio, { kind: "plan", target: "fly", options, secrets: {} });
    assert.equal(fault?.code, "outside");
    rmSync(join(folder, ".env"));
  });

  test("a value in the environment is used only if that is allowed", async () => {
    process.env["DATABASE_URL"] = postgresSecret(5);
    try {
      const { knownSecrets, environmentSecrets } = (await state()).project;
      assert.deepEqual([knownSecrets, environmentSecrets], [[], ["DATABASE_URL"]]);
      const request = { kind: "plan", target: "fly", options, secrets: {} } as const;
      assert.equal((await work(studio, request)).fault?.code, "secret_not_allowed");
      assert.equal((await work(studio, { ...request, env: ["DATABASE_URL"] })).fault, null);
      assert.equal((await work(studio, { ...request, env: ["HOME"] })).fault?.code, "usage");
    } finally {
      delete process.env["DATABASE_URL"];
    }
  });
});
