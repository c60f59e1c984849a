import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { run } from "../support.ts";
import { button, command, expectText, noChromium, openTab, Studio } from "./browser.ts";
import { shareInstalledPackages } from "./work.ts";

/** The suite takes a while, and longer on a busy machine. */
const slow = 240_000;

describe("the page: making, running and checking", { skip: noChromium }, () => {
  let studio: Studio;
  before(async () => {
    shareInstalledPackages();
    studio = await Studio.start();
  });
  after(() => studio.close());

  test("what is chosen is proved beside the choices, before anything is made", async () => {
    const page = await studio.open("name=proved&framework=h3");
    await button(page, "Prove it").click();
    await page.getByText(/^\d+ of \d+ checks passed$/).waitFor({ timeout: slow });
    await expectAllPassed(page);
    const check = page.getByRole("list", { name: "Checks" }).getByRole("listitem").first();
    await expectText(check, /passed: .*GET \/health answers 200/);
    await check.locator("summary").click();
    await expectText(check, /GET \/health HTTP\/1\.1/);
    await expectText(check, /HTTP\/1\.1 200/);
    assert.ok(!existsSync(join(studio.folder, "proved")));
    await page.context().close();
  });

  test("a project is made, started, asked rightly and wrongly, and stopped", async () => {
    const page = await studio.open("name=shop&framework=koa&with=auth");
    await expectText(command(page), /--with auth$/);
    await button(page, "Make it").dblclick();
    await page.getByText("shop is in ./shop").waitFor({ timeout: slow });
    assert.equal(await page.getByText("is running. Wait until").count(), 0);
    assert.ok(existsSync(join(studio.folder, "shop/src/app.ts")));
    await openTab(page, "Run");
    await button(page, "Start").click();
    const backend = page.getByRole("region", { name: "Koa" });
    await expectText(backend, /running/, slow);
    const creation = page.getByRole("form", { name: "POST /items" });
    await button(creation, "Send").click();
    await expectText(creation.getByRole("status"), /201 Created.*"id"/s);
    await creation.getByLabel("Body").fill('{"name":5}');
    await button(creation, "Send").click();
    await expectText(creation.getByRole("status"), /422 .*name must be a string/s);
    await creation.getByLabel("Token").selectOption("No token");
    await button(creation, "Send").click();
    await expectText(creation.getByRole("status"), /401 Unauthorized/);
    await expectText(page.getByRole("log", { name: "Log" }), /POST \/items 422/);
    await openTab(page, "Files");
    await openTab(page, "Run");
    assert.equal(await creation.getByLabel("Body").inputValue(), '{"name":5}');
    await expectText(creation.getByRole("status"), /401 Unauthorized/);
    await page.reload();
    await expectText(page.getByRole("log", { name: "Log" }), /POST \/items 422/);
    await button(page, "Stop").click();
    await expectText(backend, /stopped/, slow);
    assert.equal(await backend.getByRole("alert").count(), 0);
    await page.context().close();
  });

  test("a choice changes the project by a merge, which is shown first", async () => {
    const page = await studio.open();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "shop");
    await page.getByRole("checkbox", { name: "cors" }).check();
    await button(page, "Preview change").click();
    await expectText(page.getByRole("heading", { name: /cors/ }), /Add cors/, slow);
    await page.getByText("src/core/features/cors/cors.ts").waitFor();
    await button(page, "Change it").click();
    await page.getByText("shop is in ./shop").waitFor({ timeout: slow });
    assert.match(await run(join(studio.folder, "shop"), "git", "log", "-1", "--format=%s"), /cors/);
    await page.context().close();
  });

  test("two frameworks run side by side, with the same requests, the same suite and a benchmark", async () => {
    const page = await studio.open("name=pair&framework=hono#tab=run");
    await page.getByLabel("Beside it").selectOption("Fastify");
    await button(page, "Start").click();
    for (const name of ["Hono", "Fastify"])
      await expectText(page.getByRole("region", { name, exact: true }), /running/, slow);
    const creation = page.getByRole("form", { name: "POST /items" });
    await button(creation, "Send").click();
    await expectText(creation.getByRole("status"), /Hono201 Created.*Fastify201 Created/s);
    await button(page, "Check").click();
    await expectText(page.getByText(/^Hono \d+ of \d+ checks passed$/), /Hono/, slow);
    await expectAllPassed(page);
    const marks = page.getByRole("list", { name: "Checks" }).getByRole("listitem").first();
    await expectText(marks, /passed: .*passed: /);
    await button(page, "Benchmark").click();
    await page.getByText(/^Hono answers/).waitFor({ timeout: slow });
    const other = await studio.open("name=pair&framework=hono#tab=run");
    await expectText(other.getByRole("region", { name: "Fastify", exact: true }), /running/);
    await other.context().close();
    await page.getByLabel("Beside it").selectOption("No other framework");
    await expectText(page.getByRole("region", { name: "Fastify", exact: true }), /running/);
    await button(page, "Stop").click();
    await page.getByRole("region", { name: "Fastify", exact: true }).waitFor({ state: "detached", timeout: slow });
    await expectText(page.getByRole("region", { name: "Hono", exact: true }), /stopped/, slow);
    await page.context().close();
  });

  test("a backend that does not start says why", async () => {
    const page = await studio.open("name=lost&framework=hono&database=postgres#tab=run");
    await button(page, "Start").click();
    await expectText(page.getByRole("region", { name: "Hono", exact: true }), /failed.*DATABASE_URL/s, slow);
    assert.deepEqual(studio.strangers, []);
    await page.context().close();
  });
});

/** Waits until the suite has ended, and all of it passed. */
async function expectAllPassed(page: Page): Promise<void> {
  for (const summary of await page.locator(".check-summary p").all())
    await expectText(summary, /(?<!\d)(\d+) of \1 checks passed$/, slow);
}
