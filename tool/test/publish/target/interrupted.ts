import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import type { Progress } from "../../../src/publish/progress.ts";
import { atStep, catchFault, type Suite } from "./scene.ts";
import { crashing, quiet } from "./world.ts";

type Moment = "before" | "after";

const steps = ["lease", "secrets", "start", "health", "switch", "watch", "live"];

export function interruptedTests(suite: Suite): void {
  for (const step of steps)
    for (const moment of ["before", "after"] as const)
      suite.test(`recovers from a publisher that was cut off ${moment} ${step}`, ["whole"], async (scene) => {
        await scene.publish();
        const other = await scene.world.open();
        const cut = cutOff(step, moment);
        const asked = { env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) };
        const lost = deploy(other, scene.attempt(asked, {}, cut.progress));
        await Promise.race([cut.reached, lost]);
        await scene.world.expireLease();
        const { release } = await scene.publish({ secret: scene.world.secret(3) });
        await scene.onlyServes(release.id);
      });

  suite.test("first reverts a release that was cut off and is unhealthy", ["whole"], async (scene) => {
    await scene.publish();
    const cut = cutOff("health", "before");
    const sick = scene.attempt({ env: crashing }, {}, cut.progress);
    await Promise.race([cut.reached, catchFault(deploy(await scene.world.open(), sick))]);
    await scene.world.expireLease();
    const controller = new AbortController();
    const progress = atStep("secrets", () => controller.abort());
    const attempt = scene.attempt({}, { interrupted: controller.signal }, progress);
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
