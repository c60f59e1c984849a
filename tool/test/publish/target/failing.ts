import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import { ReleaseFault } from "../../../src/publish/target.ts";
import { atStep, catchFault, type Suite } from "./scene.ts";
import { crashing, crashLine } from "./world.ts";

export function failingTests(suite: Suite): void {
  suite.test("reverts one that crashes at startup, reports why, and keeps the first live", ["whole"], async (scene) => {
    await scene.publish();
    const fault = await catchFault(scene.publish({ env: crashing }));
    assert.ok(fault instanceof ReleaseFault);
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, new RegExp(crashLine));
    assert.ok(fault.message.split("\n").every((line) => line.length <= 310));
    await scene.onlyServes("r1");
    // A failed release does not block the next one.
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    assert.equal((await scene.releases()).filter((release) => release.endsWith("live")).length, 1);
  });

  suite.test("records the release that failed, and why", ["failures", "whole"], async (scene) => {
    await scene.publish();
    await catchFault(scene.publish({ env: crashing }));
    assert.deepEqual(await scene.releases(), ["r1 live", "r2 failed"]);
    assert.equal((await scene.publish({ env: { LOG_LEVEL: "error" } })).release.id, "r3");
  });

  suite.test("records the last five that failed, and all that were live", ["failures", "whole"], async (scene) => {
    await scene.publish();
    for (const _ of [2, 3, 4, 5, 6, 7]) await catchFault(scene.publish({ env: crashing }));
    assert.deepEqual(await scene.releases(), ["r1 live", ...[3, 4, 5, 6, 7].map((number) => `r${number} failed`)]);
    await scene.onlyServes("r1");
  });

  suite.test("waits for one that does not become ready, until the deadline", ["whole"], async (scene) => {
    await scene.publish();
    let looks = 0;
    const counting: typeof scene.driver = {
      ...scene.driver,
      observe: (release, lines) => {
        if (release.id === "r2") looks++;
        return scene.driver.observe(release, lines);
      },
    };
    const attempt = scene.attempt({ secret: scene.world.unreadySecret });
    const fault = await catchFault(deploy(counting, attempt));
    assert.equal(fault.outcome, "unchanged");
    // However slow the machine is, there is a pause between two observations.
    const most = attempt.options.healthMs / scene.driver.paceMs;
    assert.ok(looks < 1.5 * most + 5, `${looks} looks, where ${most} fit into the time`);
    await scene.onlyServes("r1");
  });

  suite.test("reverts one that crashes while it is watched", ["crash"], async (scene) => {
    await scene.publish();
    const { world } = scene;
    const progress = atStep("watch", () => setTimeout(() => world.crash?.(), scene.driver.paceMs));
    // However slow the machine is, there is time to be healthy again.
    const limits = { watchMs: 60_000, healthMs: 30_000 };
    const attempt = scene.attempt({ env: { LOG_LEVEL: "error" } }, limits, progress);
    const fault = await catchFault(deploy(scene.driver, attempt));
    // Which of the two is observed first depends on timing.
    assert.match(fault.code, /^(crashed|unhealthy)$/);
    assert.equal(fault.outcome, "rolled_back");
    await scene.onlyServes("r1");
  });

  suite.test("leaves nothing of a first release that fails", [], async (scene) => {
    const fault = await catchFault(scene.publish({ env: crashing }));
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, new RegExp(crashLine));
    assert.deepEqual(await scene.world.leftovers(), []);
    assert.ok((await scene.releases()).every((release) => release.endsWith("failed")));
    await scene.publish();
    assert.equal((await scene.releases()).filter((release) => release.endsWith("live")).length, 1);
  });

  suite.test("reports that it cannot roll back, and the next publish recovers", ["whole"], async (scene) => {
    await scene.publish();
    const stuck: typeof scene.driver = {
      ...scene.driver,
      revert: async () => {
        throw new Error("The way back is closed.");
      },
    };
    const fault = await catchFault(deploy(stuck, scene.attempt({ secret: scene.world.unreadySecret })));
    assert.equal(fault.outcome, scene.driver.switchTo ? "unchanged" : "rollback_failed");
    assert.match(fault.message, /Rolling back to r1 failed too: The way back is closed\.\nRun the same command again/);
    const { release } = await scene.publish({ env: { LOG_LEVEL: "error" } });
    await scene.onlyServes(release.id);
  });
}
