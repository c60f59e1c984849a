import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { project, run, writeOut } from "./support.ts";

test("builds that run at the same time never leave an incomplete bundle", async () => {
  const folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  const bundle = join(folder, "dist/main.cjs");
  let isBuilding = true;
  const builds = Promise.all([1, 2, 3].map(() => run(folder, process.execPath, "build.ts")));
  const watching = (async () => {
    while (isBuilding) {
      if (existsSync(bundle))
        assert.match(readFileSync(bundle, "utf8").slice(-100), /sourceMappingURL=main\.cjs\.map\n$/);
      await sleep(1);
    }
  })();
  await builds.finally(() => {
    isBuilding = false;
  });
  await watching;
  assert.ok(existsSync(bundle));
});
