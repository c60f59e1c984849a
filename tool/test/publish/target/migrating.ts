import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import { cutOffAt } from "./interrupted.ts";
import { catchFault, type Scene, type Suite } from "./scene.ts";
import { type Asked, crashing, crashLine, quiet } from "./world.ts";

const breaks = ["0001-a drops the column a of items"];

export function migratingTests(suite: Suite): void {
  suite.test(
    "applies migrations with the new image before it starts; if that fails, nothing starts",
    [],
    async (scene) => {
      const first = await publish(scene, { lastMigration: "0001-a" });
      isInOrder(first, "Apply the migrations of", "Start r1");
      const shown: string[] = [];
      const fault = await catchFault(publish(scene, { lastMigration: "0002-b", env: crashing }, shown));
      assert.deepEqual([fault.code, fault.outcome], ["migration", "unchanged"]);
      assert.match(fault.message.split("\n")[0] ?? "", new RegExp(`^The migrations of \\S+ failed: ${crashLine}`));
      assert.ok(!shown.some((text) => text.startsWith("Start r2")), shown.join("\n"));
      await scene.onlyServes("r1");
    },
  );

  suite.test("leaves nothing of a first release whose migrations fail", ["whole"], async (scene) => {
    const fault = await catchFault(publish(scene, { lastMigration: "0001-a", env: crashing }));
    assert.deepEqual([fault.code, fault.outcome], ["migration", "unchanged"]);
    assert.deepEqual(await scene.world.leftovers(), []);
    await publish(scene, { lastMigration: "0001-a" });
    assert.equal((await scene.releases()).filter((release) => release.endsWith("live")).length, 1);
  });

  for (const moment of ["before", "after"] as const)
    suite.test(`recovers from a publisher that was cut off ${moment} migrations`, ["whole"], async (scene) => {
      await scene.publish();
      const asked = { lastMigration: "0001-a", env: { LOG_LEVEL: "error" } };
      await cutOffAt(scene, "migrate", moment, asked);
      await publish(scene, asked);
      const live = (await scene.releases()).find((release) => release.endsWith("live")) ?? "";
      await scene.onlyServes(live.replace(" live", ""));
    });

  suite.test(
    "says before a rollback that the older code may not fit, and applies nothing",
    ["whole"],
    async (scene) => {
      await scene.publish();
      await publish(scene, { lastMigration: "0001-a", breaks, env: { LOG_LEVEL: "error" } });
      const shown: string[] = [];
      await rollback(scene.work({}, quiet(shown)), undefined, false);
      isInOrder(shown, "Warning: the code of r1 may not fit the tables", "Start");
      assert.ok(shown.some((text) => /0001-a drops the column a of items \(r2\)/.test(text)));
      assert.ok(!shown.some((text) => text.startsWith("Apply")), shown.join("\n"));
    },
  );

  suite.test("remembers after a rollback what the newer release did to the tables", ["whole"], async (scene) => {
    await scene.publish();
    await publish(scene, { lastMigration: "0001-a", breaks, env: { LOG_LEVEL: "error" } });
    await rollback(scene.work(), undefined, false);
    const shown: string[] = [];
    await publish(scene, { lastMigration: "0001-a", env: { LOG_LEVEL: "debug" } }, shown);
    await rollback(scene.work({}, quiet(shown)), "r1", false);
    assert.ok(
      shown.some((text) => /0001-a drops the column a of items/.test(text)),
      shown.join("\n"),
    );
  });
}

/** Publishes, and returns what was shown. */
async function publish(scene: Scene, asked: Asked, shown: string[] = []): Promise<string[]> {
  await deploy(scene.driver, scene.attempt(asked, {}, quiet(shown)));
  return shown;
}

function isInOrder(shown: string[], ...starts: string[]): void {
  const places = starts.map((start) => shown.findIndex((text) => text.startsWith(start)));
  assert.ok(!places.includes(-1), shown.join("\n"));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    shown.join("\n"),
  );
}
