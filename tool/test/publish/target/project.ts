import assert from "node:assert/strict";
import { deploy } from "../../../src/publish/deploy.ts";
import { pruneSecrets, rollback, unpublish } from "../../../src/publish/rollback.ts";
import { catchFault, type Suite } from "./scene.ts";
import { quiet } from "./world.ts";

const [first, second] = ["1111aaaa1111aaaa", "2222bbbb2222bbbb"];

export function projectTests(suite: Suite): void {
  suite.test("keeps other projects of the same name away, unless they take over", ["whole"], async (scene) => {
    await scene.publish({ project: first });
    const other = { project: second, env: { LOG_LEVEL: "error" } };
    const work = scene.work({}, quiet(), { project: second });
    for (const attempt of [
      () => scene.publish(other),
      () => rollback(work, undefined, false),
      () => pruneSecrets(work),
      () => unpublish(work, true),
    ]) {
      const { code, message } = await catchFault(attempt());
      assert.equal(code, "name_taken");
      assert.match(message, new RegExp(`project named .* is published here: r1 by .*${first}.*--take-over`));
      assert.ok(!message.includes(second));
    }
    await scene.onlyServes("r1");
    await scene.publish(other, { isTakingOver: true });
    await scene.onlyServes("r2");
    assert.equal((await catchFault(scene.publish({ project: first }))).code, "name_taken");
    // One that has no id is none of them.
    assert.equal((await catchFault(scene.publish())).code, "name_taken");
  });

  suite.test("belongs to the first project with an id that is published, if it had none", ["whole"], async (scene) => {
    await scene.publish();
    await scene.publish({ project: first, env: { LOG_LEVEL: "error" } });
    assert.equal((await catchFault(scene.publish({ project: second }))).code, "name_taken");
    await deploy(scene.driver, scene.attempt({ project: first }));
  });
}
