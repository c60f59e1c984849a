import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { execute } from "../../src/execute.ts";
import { createBoundPlans } from "../../src/publish/bound-plan.ts";
import { runner } from "../../src/publish/program.ts";
import { type ProgressEvent, reportEvents } from "../../src/publish/progress.ts";
import { run } from "../support.ts";
import { answer, emptyApp } from "./flyctl.ts";
import { projectFolder, type Recording, record, recordHere } from "./recording.ts";
import { change } from "./support.ts";
import { planted, postgresSecret } from "./target/world.ts";

describe("a plan that is bound", () => {
  let fly: Recording<ReturnType<typeof emptyApp>>;
  let folder: string;
  const plans = createBoundPlans();
  const given = (number = 1) => ({ files: { DATABASE_URL: postgresSecret(number) }, allowed: [] });

  before(async () => {
    record("docker", "docker.ts", {});
    fly = recordHere("flyctl", answer, emptyApp());
    const runFlyctl = runner.execute;
    runner.execute = (program, ...rest) => (program === "flyctl" ? runFlyctl : execute)(program, ...rest);
    folder = projectFolder();
    await run(folder, "git", "init", "-q");
    await commit();
  });

  const commit = async () => {
    await run(folder, "git", "add", "-A", "--", ":!node_modules");
    await run(folder, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "All");
  };

  function watch() {
    const events: ProgressEvent[] = [];
    const watcher = { progress: reportEvents((event) => events.push(event)), signal: new AbortController().signal };
    return { events, watcher };
  }

  const request = () => ({ folder, to: "fly", smoke: false, "watch-seconds": "0", "health-seconds": "5" });
  const plan = async () => plans.planPublish(request(), given(), watch().watcher);
  const changes = () => fly.commands().filter((command) => !/^(machine|secrets|volumes) list/.test(command));

  test("does what it says, once, and its events are those of --json", async () => {
    const { id, plan: planned } = await plan();
    assert.deepEqual([planned.live, planned.services[0]?.secrets.names], [null, ["DATABASE_URL"]]);
    assert.deepEqual(changes(), [], "a plan changes nothing");
    const { events, watcher } = watch();
    const { release } = await plans.publish(id, given(), watcher);
    assert.equal(release.id, "r1");
    assert.deepEqual(
      events.filter(({ event, state }) => event === "result" || state === "started").map(({ step, ok }) => step ?? ok),
      ["preflight", "build", "push", "secrets", "start", "health", "switch", "watch", "live", true],
    );
    assert.ok(!JSON.stringify([events, planned]).includes(planted));
    await assert.rejects(plans.publish(id, given(), watcher), { code: "plan_unknown" });
  });

  const voids: [what: string, change: () => unknown, named: RegExp][] = [
    [
      "a commit was made",
      () =>
        run(
          folder,
          "git",
          "-c",
          "user.name=t",
          "-c",
          "user.email=t@localhost",
          "commit",
          "--allow-empty",
          "-qm",
          "More",
        ),
      /the commit changed/,
    ],
    [
      "a file changed that is not committed",
      () => appendFileSync(join(folder, "src/main.ts"), "// more\n"),
      /the files of the project changed/,
    ],
    ["a file was added", () => writeFileSync(join(folder, "src/more.ts"), ""), /the files of the project changed/],
    [
      "a setting changed",
      () => change(folder, "dory.json", ({ publish }) => Object.assign(publish, { env: { LOG_LEVEL: "warn" } })),
      /the settings in dory.json changed/,
    ],
    [
      "somebody else published",
      () => plan().then(({ id }) => plans.publish(id, given(), watch().watcher)),
      /what is published at the target changed/,
    ],
  ];
  for (const [what, change, named] of voids)
    test(`is void after ${what}`, async () => {
      const { id } = await plan();
      await change();
      const before = changes();
      await assert.rejects(plans.publish(id, given(), watch().watcher), { code: "plan_void", message: named });
      assert.deepEqual(changes(), before, "nothing was changed");
    });

  test("is void if a secret has another value, and does not print it", async () => {
    const { id } = await plan();
    await assert.rejects(plans.publish(id, given(2), watch().watcher), (error: Error) => {
      assert.match(error.message, /a value of a secret changed/);
      return !error.message.includes(planted);
    });
  });

  test("is void if somebody publishes while the image is built", async () => {
    change(folder, "dory.json", ({ publish }) => Object.assign(publish, { env: { LOG_LEVEL: "error" } }));
    const mine = await plan();
    const theirs = await plan();
    const { watcher } = watch();
    const step: typeof watcher.progress.step = async (name, title, work) => {
      if (name === "push") await plans.publish(theirs.id, given(), watch().watcher);
      return watcher.progress.step(name, title, work);
    };
    const busy = { ...watcher, progress: { ...watcher.progress, step } };
    await assert.rejects(plans.publish(mine.id, given(), busy), { code: "plan_void" });
  });

  test("for a rollback names the release, and does no publish", async () => {
    const asked = { folder, to: "fly", "watch-seconds": "0", "health-seconds": "5" };
    const planned = await plans.planRollback(asked, watch().watcher);
    await assert.rejects(plans.publish(planned.id, given(), watch().watcher), { code: "plan_unknown" });
    const { release } = await plans.rollBack(planned.id, watch().watcher);
    assert.equal(release.restores, planned.release);
    const stale = await plans.planRollback({ ...asked, release: planned.live ?? "" }, watch().watcher);
    await plans.publish((await plan()).id, given(), watch().watcher);
    await assert.rejects(plans.rollBack(stale.id, watch().watcher), { code: "plan_void" });
  });
});
