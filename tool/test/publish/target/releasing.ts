import assert from "node:assert/strict";
import { Fault } from "../../../src/fault.ts";
import { deploy } from "../../../src/publish/deploy.ts";
import { findLive } from "../../../src/publish/release.ts";
import { rollback, unpublish } from "../../../src/publish/rollback.ts";
import type { Driver } from "../../../src/publish/target.ts";
import { catchFault, type Suite } from "./scene.ts";

export function releasingTests(suite: Suite): void {
  suite.test("makes a first release live, records it, and returns its URL", ["whole"], async (scene) => {
    const { release, url } = await scene.publish();
    assert.deepEqual([release.id, release.status], ["r1", "live"]);
    assert.match(url, /^https?:\/\//);
    await scene.onlyServes("r1");
    const live = findLive(await scene.driver.history());
    assert.deepEqual([live?.by, live?.at, live?.commit], ["ann@desk", "2026-01-01T00:00:00.000Z", "c".repeat(40)]);
    const snapshot = await scene.driver.observe(release);
    assert.equal(snapshot.services[0]?.image, release.services[0]?.image);
    assert.ok(snapshot.instances.every(({ isCurrent, isReady, restarts }) => isCurrent && isReady && restarts === 0));
  });

  suite.test("replaces it by one that differs only in a variable", ["whole"], async (scene) => {
    const { release: first } = await scene.publish();
    const { release } = await scene.publish({ env: { LOG_LEVEL: "error" } });
    assert.equal(release.id, "r2");
    assert.deepEqual(await scene.releases(), ["r1 replaced", "r2 live"]);
    await scene.onlyServes("r2");
    const old = await scene.driver.observe(first);
    assert.ok(
      old.instances.every(({ isCurrent, isReady }) => !(isCurrent && isReady)) || old.outside?.isCurrent === false,
    );
  });

  suite.test(
    "keeps five releases, and what is needed to restore each of them",
    ["oldSecrets", "whole"],
    async (scene) => {
      for (const number of [1, 2, 3, 4, 5, 6, 7]) await scene.publish({ secret: scene.world.secret(number) });
      const kept = [...["r3", "r4", "r5", "r6"].map((id) => `${id} replaced`), "r7 live"];
      assert.deepEqual(await scene.releases(), kept);
      await scene.onlyServes("r7");
      assert.equal((await catchFault(rollback(scene.work(), "r2", false))).code, "no_release");
      await rollback(scene.work(), "r3", false);
    },
  );

  suite.test("retries when the connection is lost for a moment", ["whole"], async (scene) => {
    const driver = away(scene.driver, 3);
    await deploy(driver, scene.attempt());
    const again = away(scene.driver, 3);
    assert.equal((await deploy(again, scene.attempt({ env: { LOG_LEVEL: "error" } }))).release.id, "r2");
    await scene.onlyServes("r2");
  });

  suite.test(
    "is removed completely, also when it is removed again, and its data only on request",
    ["removal"],
    async (scene) => {
      const { driver, world } = scene;
      await scene.publish();
      await scene.publish({ secret: world.secret(2) });
      const data = await driver.data();
      for (const _ of ["first", "again"]) {
        await unpublish(scene.work(), false);
        assert.deepEqual(await driver.history(), []);
        assert.deepEqual(await world.leftovers(), []);
        assert.deepEqual(await driver.data(), data);
      }
      assert.equal((await scene.publish()).release.id, "r1");
      for (const _ of ["first", "again"]) {
        await unpublish(scene.work(), true);
        assert.deepEqual(await world.leftovers(), []);
        assert.deepEqual(await driver.data(), []);
      }
    },
  );
}

/** A driver whose connection is lost repeatedly: a number of calls fail, then one succeeds. */
function away(driver: Driver, times: number): Driver {
  let count = 0;
  return {
    ...driver,
    observe: (release, lines) => {
      if (count++ % (times + 1) < times) throw new Fault("test_unreachable", "Nobody answers.");
      return driver.observe(release, lines);
    },
  };
}
