import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import { nextId } from "../../../src/publish/release.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import { catchFault, type Suite } from "./scene.ts";
import { crashing, planted, quiet } from "./world.ts";

export function secretTests(suite: Suite): void {
  suite.test("shows the value of a secret nowhere", ["whole"], async (scene) => {
    const { driver } = scene;
    const shown: string[] = [];
    const attempt = (asked = {}) => scene.attempt(asked, {}, quiet(shown));
    const published = [await deploy(driver, attempt()), await deploy(driver, attempt({ env: { LOG_LEVEL: "error" } }))];
    const fault = await catchFault(deploy(driver, attempt({ env: crashing })));
    published.push(await rollback(scene.work({}, quiet(shown)), undefined, true));
    const unready = await catchFault(deploy(driver, attempt({ secret: scene.world.unreadySecret })));
    const releases = await driver.history();
    const snapshots = await Promise.all(releases.map((release) => driver.observe(release, 8)));
    const planned = await driver.plan(attempt(), releases, nextId(releases));
    const rendered = await driver.render?.(planned, attempt().secrets ?? {});
    const printed = [shown, published, fault.message, unready.message, releases, snapshots, rendered];
    const all = `${JSON.stringify(printed)}${scene.world.visible?.() ?? ""}`;
    for (const trace of [planted, Buffer.from(scene.world.secret(1)).toString("base64")])
      assert.ok(!all.includes(trace));
  });
}
