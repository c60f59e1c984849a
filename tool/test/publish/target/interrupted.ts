import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import type { Progress } from "../../../src/publish/progress.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import type { Driver, Lock } from "../../../src/publish/target.ts";
import { atStep, catchFault, type Scene, type Suite } from "./scene.ts";
import { type Asked, crashing, quiet } from "./world.ts";

type Moment = "before" | "after";

const steps = ["lease", "secrets", "start", "health", "switch", "watch", "live"];

export function interruptedTests(suite: Suite): void {
  for (const step of steps)
    for (const moment of ["before", "after"] as const)
      suite.test(`recovers from a publisher that was cut off ${moment} ${step}`, ["whole"], async (scene) => {
        await scene.publish();
        const asked = { env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) };
        await cutOffAt(scene, step, moment, asked);
        const { release } = await scene.publish({ secret: scene.world.secret(3) });
        await scene.onlyServes(release.id);
      });

  suite.test("does not repeat a release that was cut off and serves", ["whole", "lease"], async (scene) => {
    await scene.publish();
    const asked = { env: { LOG_LEVEL: "error" } };
    await cutOffAt(scene, "live", "before", asked);
    assert.deepEqual(await scene.releases(), ["r1 live", "r2 pending"]);
    const { release, isUnchanged } = await scene.publish(asked);
    assert.deepEqual([release.id, release.status, isUnchanged], ["r2", "live", true]);
    assert.deepEqual(await scene.releases(), ["r1 replaced", "r2 live"]);
    const forced = await deploy(scene.driver, { ...scene.attempt(asked), isForced: true });
    assert.equal(forced.release.id, "r3");
  });

  suite.test("does not repeat a rollback that was cut off and serves", ["whole", "lease"], async (scene) => {
    await scene.publish();
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    const cut = cutOff("live", "before");
    const driver = await scene.world.open();
    await Promise.race([cut.reached, rollback({ ...scene.work({}, cut.progress), driver }, undefined, false)]);
    await scene.world.expireLease();
    const { release, isUnchanged } = await rollback(scene.work(), undefined, false);
    assert.deepEqual([release.id, release.restores, isUnchanged], ["r3", "r1", true]);
    await scene.onlyServes("r3");
  });

  suite.test("first reverts a release that was cut off and is unhealthy", ["whole"], async (scene) => {
    await scene.publish();
    // Some platforms wait for a release themselves, and notice it earlier.
    await cutOffAt(scene, "health", "before", { env: crashing }).catch((error) => assert.ok("outcome" in error, error));
    const controller = new AbortController();
    const progress = atStep("secrets", () => controller.abort());
    const attempt = scene.attempt({ env: { LOG_LEVEL: "error" } }, { interrupted: controller.signal }, progress);
    assert.equal((await catchFault(deploy(scene.driver, attempt))).code, "interrupted");
    await scene.eventuallyServes("r1");
  });

  for (const [step, moment] of [
    ["secrets", "before anything is applied"],
    ["health", "while it becomes healthy"],
  ] as const)
    suite.test(`is reverted by Ctrl-C ${moment}`, ["whole"], async (scene) => {
      await scene.publish();
      const controller = new AbortController();
      const progress = atStep(step, () => controller.abort());
      const asked = { env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) };
      const attempt = scene.attempt(asked, { interrupted: controller.signal }, progress);
      assert.equal((await catchFault(deploy(scene.driver, attempt))).code, "interrupted");
      await scene.onlyServes("r1");
      await scene.publish({ env: { LOG_LEVEL: "error" } });
    });
}

/** Publishes until a step, and ends the lease: nothing of this publisher goes on, also not its heartbeat. */
export async function cutOffAt(scene: Scene, step: string, moment: Moment, asked: Asked): Promise<void> {
  const other = await scene.world.open();
  let held: Lock | undefined;
  const lock = other.lock?.bind(other);
  const driver: Driver = lock ? { ...other, lock: async (...how) => (held = await lock(...how)) } : other;
  const cut = cutOff(step, moment);
  await Promise.race([cut.reached, deploy(driver, scene.attempt(asked, {}, cut.progress))]);
  await held?.release();
  await scene.world.expireLease();
}

/** A publisher that stops at a step, as if it had been killed there. */
function cutOff(step: string, moment: Moment): { progress: Progress; reached: Promise<void> } {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const inner = quiet();
  const stop = () => {
    reach();
    return new Promise<never>(() => {});
  };
  const progress: Progress = {
    ...inner,
    step: async (name, title, work) => {
      if (name === step && moment === "before") return stop();
      const result = await inner.step(name, title, work);
      return name === step ? stop() : result;
    },
  };
  return { progress, reached };
}
