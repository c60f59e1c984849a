import assert from "node:assert/strict";
import { eventually } from "../../../../backend/kit/test/eventually.ts";
import { deploy } from "../../../src/publish/deploy.ts";
import type { Driver } from "../../../src/publish/target.ts";
import { atStep, catchFault, Scene, type Suite } from "./scene.ts";
import { quiet } from "./world.ts";

export function leaseTests(suite: Suite): void {
  suite.test("lets one publish at a time, and the other wait on request", ["lease", "whole"], async (scene) => {
    const other = await scene.world.open();
    const shown: string[] = [];
    let waiting: Promise<unknown> = Promise.resolve();
    const progress = atStep("start", async () => {
      const refused = await catchFault(deploy(other, scene.attempt()));
      assert.equal(refused.code, "lease_held");
      assert.match(refused.message, /is publishing .*--wait/);
      const [, holder = "nobody"] = /^(.*) is publishing/.exec(refused.message) ?? [];
      assert.equal(await other.findHolder?.(), holder);
      const again = scene.attempt({ env: { LOG_LEVEL: "error" } }, { isWaiting: true }, quiet(shown));
      waiting = deploy(other, again);
      await eventually(async () => shown.some((text) => text.includes(`waiting for ${holder}`)), "the holder's name");
    });
    await deploy(scene.driver, scene.attempt({}, {}, progress));
    await waiting;
    assert.equal(await other.findHolder?.(), undefined);
    assert.deepEqual(await scene.releases(), ["r1 replaced", "r2 live"]);
    await scene.onlyServes("r2");
  });

  suite.test("stops waiting for a lease on Ctrl-C", ["lease", "whole"], async (scene) => {
    const other = await scene.world.open();
    const controller = new AbortController();
    const progress = atStep("start", async () => {
      const waits = deploy(other, scene.attempt({}, { isWaiting: true, interrupted: controller.signal }));
      setTimeout(() => controller.abort(), 20);
      assert.equal((await catchFault(waits)).code, "interrupted");
    });
    await deploy(scene.driver, scene.attempt({}, {}, progress));
    await scene.onlyServes("r1");
  });

  suite.test("stops a publisher that lost the lease", ["lease"], async (scene) => {
    await scene.publish();
    const other = await scene.world.open();
    const progress = atStep("switch", async () => {
      await scene.world.expireLease();
      await deploy(other, scene.attempt({ secret: scene.world.secret(3) }));
    });
    const asked = { env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) };
    const fault = await catchFault(deploy(scene.driver, scene.attempt(asked, {}, progress)));
    assert.match(fault.code, /^lease/);
    await new Scene(scene.world, other).onlyServes("r3");
  });

  suite.test("undoes what a publisher starts that slept while another one published", ["lease"], async (scene) => {
    await scene.publish();
    const other = await scene.world.open();
    const sleeper: Driver = {
      ...scene.driver,
      async apply(release, before) {
        await scene.world.expireLease();
        await deploy(other, scene.attempt({ secret: scene.world.secret(3) }));
        await scene.driver.apply(release, before);
      },
    };
    const asked = { env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) };
    assert.match((await catchFault(deploy(sleeper, scene.attempt(asked)))).code, /^lease/);
    await new Scene(scene.world, other).eventuallyServes("r3");
  });
}
