import assert from "node:assert/strict";
import { findLive } from "../../../src/publish/release.ts";
import { pruneSecrets, rollback } from "../../../src/publish/rollback.ts";
import { cutOffAt } from "./interrupted.ts";
import { catchFault, type Scene, type Suite } from "./scene.ts";
import { crashing, quiet } from "./world.ts";

export function rollbackTests(suite: Suite): void {
  suite.test("restores image, variables and secrets of the previous release", ["whole"], async (scene) => {
    const image = scene.attempt().release.services[0]?.image;
    const { release: first } = await scene.publish();
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    const shown: string[] = [];
    const { release } = await rollback(scene.work({}, quiet(shown)), undefined, false);
    const [was, is] = [first.services[0], release.services[0]];
    assert.deepEqual([is?.image, is?.env, is?.secretsVersion], [image, was?.env, was?.secretsVersion]);
    assert.ok(!shown.some((text) => text.includes("--keep-secrets")));
    await scene.onlyServes(release.id);
  });

  suite.test("records a rollback as a new release", ["ownRollback", "whole"], async (scene) => {
    await scene.publish();
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    await rollback(scene.work(), undefined, false);
    const live = findLive(await scene.driver.history());
    assert.deepEqual([live?.id, live?.restores], ["r3", "r1"]);
    assert.notEqual(live?.at, "2026-01-01T00:00:00.000Z");
    assert.notEqual(live?.by, "ann@desk");
  });

  suite.test(
    "goes further back with each rollback, then to the one before the last",
    ["ownRollback", "whole"],
    async (scene) => {
      for (const level of ["warn", "error", "info"]) await scene.publish({ env: { LOG_LEVEL: level } });
      const restored: (string | undefined)[] = [];
      for (const _ of [1, 2, 3]) restored.push((await rollback(scene.work(), undefined, false)).release.restores);
      assert.deepEqual(restored, ["r2", "r1", "r2"]);
    },
  );

  suite.test("has no earlier release than the first, nor one that it does not know", ["whole"], async (scene) => {
    await scene.publish();
    for (const wanted of [undefined, "r1", "r9"])
      assert.equal((await catchFault(rollback(scene.work(), wanted, false))).code, "no_release");
  });

  suite.test("goes back although a publisher was cut off", ["ownRollback", "whole", "lease"], async (scene) => {
    await scene.publish();
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    await catchFault(scene.publish({ env: crashing }));
    assert.equal((await rollback(scene.work(), undefined, false)).release.id, "r4");
    // It never served, so r4, which is r1 again, is still the live one.
    await cutOffAt(scene, "secrets", "after", { env: { LOG_LEVEL: "info" } });
    const { release } = await rollback(scene.work(), undefined, false);
    assert.equal(release.restores, "r2");
    // It serves, so it is the live one, and this was live before it.
    await cutOffAt(scene, "live", "before", { env: { LOG_LEVEL: "info" } });
    assert.equal((await rollback(scene.work(), undefined, false)).release.restores, "r2");
  });

  suite.test("reports that other secrets are restored too", ["oldSecrets", "whole"], async (scene) => {
    await otherSecrets(scene);
    const shown: string[] = [];
    const { release } = await rollback(scene.work({}, quiet(shown)), undefined, false);
    assert.ok(shown.some((text) => /r1 had other secrets for \w+.*--keep-secrets/.test(text)));
    const [first] = await scene.driver.history();
    assert.equal(release.services[0]?.secretsVersion, first?.services[0]?.secretsVersion);
    await scene.onlyServes(release.id);
  });

  suite.test("keeps the current secrets on request", ["whole"], async (scene) => {
    const { release: second } = await otherSecrets(scene);
    const { release } = await rollback(scene.work(), undefined, true);
    assert.equal(release.services[0]?.secretsVersion, second.services[0]?.secretsVersion);
    assert.deepEqual(release.services[0]?.env, { LOG_LEVEL: "warn" });
    await scene.onlyServes(release.id);
  });

  suite.test("reports that deleted secrets are gone, and changes nothing", ["whole"], async (scene) => {
    await otherSecrets(scene);
    for (const _ of ["first", "again"]) await pruneSecrets(scene.work());
    const fault = await catchFault(rollback(scene.work(), undefined, false));
    assert.deepEqual([fault.code, fault.outcome], ["secrets_gone", "unchanged"]);
    const live = findLive(await scene.driver.history());
    await scene.onlyServes(live?.id ?? "");
    assert.equal(live?.id, "r2");
    assert.equal((await rollback(scene.work(), undefined, true)).release.status, "live");
  });
}

/** Two releases, the second with another value of the secret and another variable. */
async function otherSecrets(scene: Scene) {
  await scene.publish();
  return scene.publish({ env: { LOG_LEVEL: "error" }, secret: scene.world.secret(2) });
}
