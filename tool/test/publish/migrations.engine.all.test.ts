import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { docker, type Ended, newProject, noEngine, onlyGood, runDory, underLoad, unpublish } from "./support.ts";

const application = "dory-test-migrate";
const port = 18_191;
const url = `http://localhost:${port}`;

describe("dory publish with migrations, on an engine", { skip: noEngine }, () => {
  let folder: string;
  before(async () => {
    folder = await newProject(application, "--database", "sqlite");
    await unpublish(folder);
    mkdirSync(join(folder, "migrations"));
    const first = await publish();
    assert.equal(first.code, 0, first.stdout + first.stderr);
  });
  after(() => unpublish(folder));

  const publish = (...flags: string[]): Promise<Ended> =>
    runDory(folder, ["publish", "--port", String(port), "--watch-seconds", "1", "--no-smoke", ...flags]);
  const write = (name: string, sql: string) => writeFileSync(join(folder, "migrations", `${name}.sqlite.sql`), sql);
  const live = async () => JSON.parse((await runDory(folder, ["status", "--json"])).stdout).live.release.id;

  test("applies them once while the live release serves, and no request fails", async () => {
    write("0001-notes", 'ALTER TABLE "items" ADD COLUMN "note" text;\n');
    let published: Ended | undefined;
    onlyGood(
      await underLoad(url, async () => {
        published = await publish();
      }),
    );
    const { code, stdout = "", stderr } = published ?? {};
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.match(stdout, /^ {4}new migrations: 0001-notes$/m);
    assert.match(stdout, /^dory-test-migrate: 0001-notes {2}applied now$/m);
    assert.match(stdout, /✓ Apply the migrations of dory-test-migrate[\s\S]*✓ Start r2 next to r1/);
    assert.equal(await docker("ps", "-aq", "--filter", `name=${application}--r2--migrate`), "");
  });

  test("switches nothing if one fails, and says why in its own line", async () => {
    write("0002-wrong", 'ALTER TABLE "items" ADD COLUMN;\n');
    const answers = await underLoad(url, async () => {
      const { code, stdout, stderr } = await publish();
      assert.equal(code, 1, stdout + stderr);
      assert.match(stderr, /migrations\/0002-wrong\.sqlite\.sql: .*syntax error.*Nothing of this file is applied\./);
      assert.doesNotMatch(stdout, /Start r3/);
    });
    onlyGood(answers);
    assert.equal(await live(), "r2");
    rmSync(join(folder, "migrations/0002-wrong.sqlite.sql"));
  });

  test("warns of one that the live release may not live with, and a rollback says that its code may not fit", async () => {
    write("0002-drop", 'ALTER TABLE "items" DROP COLUMN "note";\n');
    const planned = await publish("--plan");
    assert.match(
      planned.stdout,
      /Warning: The migration 0002-drop of \S+ drops the column note of items\. r2 still serves/,
    );
    const { code, stdout, stderr } = await publish();
    assert.equal(code, 0, stdout + stderr);
    const back = await runDory(folder, ["rollback", "--watch-seconds", "1"]);
    assert.equal(back.code, 0, back.stdout + back.stderr);
    assert.match(
      back.stdout,
      /Warning: the code of r2 may not fit the tables.*0002-drop drops the column note of items/,
    );
    assert.equal((await fetch(`${url}/health`)).status, 200);
  });
});
