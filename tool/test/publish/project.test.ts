import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readApplication } from "../../src/publish/application.ts";
import { giveId } from "../../src/publish/project.ts";
import { markRemoved, type Release } from "../../src/publish/release.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";

test("dory new gives each project an id, also if the request has one", async () => {
  const folder = temporaryFolder();
  const request = JSON.stringify({ name: "my-api", framework: "hono", id: "0000000000000000" });
  const args = ["new", "--json", "--no-install", "--no-git"];
  await dory(folder, args, { stdin: request }).outcome;
  const { id } = readApplication(join(folder, "my-api"));
  assert.match(id ?? "", /^[0-9a-f]{16}$/);
  assert.notEqual(id, "0000000000000000");
});

test("a dory.json without an id gets one, and nothing else in it changes", () => {
  const folder = temporaryFolder();
  const path = join(folder, "dory.json");
  for (const [text, changed] of [
    [
      '{\n  "name": "my-api",\n  "framework": "hono"\n}\n',
      '{\n  "id": "ID",\n  "name": "my-api",\n  "framework": "hono"\n}\n',
    ],
    ['{"name":"my-api","framework":"hono"}', '{"id": "ID", "name":"my-api","framework":"hono"}'],
  ] as const) {
    writeFileSync(path, text);
    const application = readApplication(folder);
    const id = giveId(application);
    assert.equal(application.id, id);
    assert.equal(readApplication(folder).id, id);
    assert.equal(readFileSync(path, "utf8").replace(id, "ID"), changed);
  }
});

test("a dory.json that cannot be written stops the publish, and the message has an id for it", () => {
  const folder = temporaryFolder();
  const path = join(folder, "dory.json");
  writeFileSync(path, '{"name":"my-api","framework":"hono"}');
  const application = readApplication(folder);
  // Also for root, who may write whatever the mode says.
  rmSync(path);
  symlinkSync("/dev/null/dory.json", path);
  assert.throws(() => giveId(application), { code: "id", message: /Add "id": "[0-9a-f]{16}" to it, and commit it/ });
});

test("what was removed while its data was kept is recorded as removed", () => {
  const release = (id: string, status: Release["status"]) => ({ id, status }) as Release;
  const releases = [release("r1", "replaced"), release("r2", "live"), release("r3", "failed")];
  assert.deepEqual(markRemoved(releases), [{ id: "r2", status: "removed" }]);
  assert.deepEqual(markRemoved([release("r1", "failed")]), []);
});
