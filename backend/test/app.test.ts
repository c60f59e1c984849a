import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask } from "./support/ask.ts";
import { Backend } from "./support/backend.ts";
import { everyDatabase } from "./support/databases.ts";

const [newDatabase] = (await everyDatabase()).values();

/** Add tests of your own routes here. The backend runs from its bundle, as in production, and is tested over HTTP. */
describe("the app", () => {
  let backend: Backend;

  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newDatabase?.() });
  });
  after(() => backend.stop());

  test("is healthy", async () => {
    assert.deepEqual(await ask(backend.url, "GET", "/health"), { status: 200, body: { status: "ok" } });
  });

  test("says what is wrong with a body", async () => {
    const { status, body } = await ask(backend.url, "POST", "/items", { unknown: 1 });
    assert.deepEqual([status, body.code], [422, "invalid_item"]);
  });
});
