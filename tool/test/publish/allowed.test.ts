import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { collectValues } from "../../src/publish/allowed.ts";
import type { Application } from "../../src/publish/application.ts";
import { temporaryFolder } from "../support.ts";
import { shop } from "./target/world.ts";

const nobody = async () => assert.fail("somebody was asked");

describe("a secret from the environment", () => {
  let application: Application;
  let config: string;
  let questions: string[];
  const answer = (isYes: boolean) => async (question: string) => {
    questions.push(question);
    return isYes;
  };
  beforeEach(() => {
    application = { ...shop(), folder: temporaryFolder(), id: "1111aaaa" };
    config = temporaryFolder();
    questions = [];
    Object.assign(process.env, { XDG_CONFIG_HOME: config, DATABASE_URL: "postgres://visibly:fake@db/shop" });
  });

  test("is passed only after a person allowed it, once for each project and folder", async () => {
    const none = { files: {}, allowed: [] };
    await assert.rejects(collectValues(application, none), { code: "secret_not_allowed" });
    await assert.rejects(collectValues(application, { ...none, ask: answer(false) }), { code: "interrupted" });
    const values = { DATABASE_URL: "postgres://visibly:fake@db/shop" };
    assert.deepEqual(await collectValues(application, { ...none, ask: answer(true) }), values);
    assert.equal(questions.length, 2);
    assert.match(questions[0] ?? "", /DATABASE_URL.*All code of shop/);
    assert.deepEqual(await collectValues(application, { ...none, ask: nobody }), values);
    assert.equal(statSync(join(config, "dory/allowed.json")).mode & 0o077, 0);
    for (const other of [
      { ...application, id: "2222bbbb" },
      { ...application, folder: temporaryFolder() },
    ])
      await assert.rejects(collectValues(other, none), { code: "secret_not_allowed" });
  });

  test("is asked for again if the record is damaged", async () => {
    await collectValues(application, { files: {}, allowed: [], ask: answer(true) });
    writeFileSync(join(config, "dory/allowed.json"), "{");
    await assert.rejects(collectValues(application, { files: {}, allowed: [] }), { code: "secret_not_allowed" });
  });

  test("needs no question if a flag names it, or a file has it; nothing else of the environment is taken", async () => {
    process.env["OTHER"] = "visibly-fake";
    const files = { DATABASE_URL: "file:x" };
    assert.deepEqual(await collectValues(application, { files, allowed: [], ask: nobody }), files);
    const named = await collectValues(application, { files: {}, allowed: ["DATABASE_URL"], ask: nobody });
    assert.deepEqual(Object.keys(named), ["DATABASE_URL"]);
    await assert.rejects(collectValues(application, { files: {}, allowed: ["OTHER"] }), { code: "usage" });
  });
});
