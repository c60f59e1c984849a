import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { project, writeOut } from "../support.ts";
import { button, command, expectFocus, expectText, focusByTab, noChromium, openTab, Studio } from "./browser.ts";

const tabs = ["Choose", "Files", "Run", "Publish"];

describe("the page, for everyone", { skip: noChromium }, () => {
  let studio: Studio;
  before(async () => {
    studio = await Studio.start();
  });
  after(() => studio.close());

  for (const colorScheme of ["light", "dark"] as const)
    test(`axe finds nothing on any tab, ${colorScheme}`, async () => {
      // Without transitions, in which colours are mixed.
      const options = { colorScheme, reducedMotion: "reduce" } as const;
      const page = await studio.open("field=Wrong:string&resource=orders: note:string&with=auth", options);
      await page.locator('[aria-invalid="true"]').first().waitFor();
      assert.deepEqual(await listViolations(page), []);
      await page.getByLabel("Field name").first().fill("right");
      for (const tab of tabs) {
        await openTab(page, tab);
        assert.deepEqual(await listViolations(page), [], tab);
      }
      await openTab(page, "Files");
      await page.getByLabel("Compare with").selectOption("Koa");
      await page.getByText(/Against Koa/).waitFor();
      assert.deepEqual(await listViolations(page), []);
      await openTab(page, "Choose");
      await button(page, "Add service").click();
      await page.getByText(/^"" cannot name a service/).waitFor();
      assert.deepEqual(await listViolations(page), []);
      await page.getByLabel("Service name").fill("api");
      await openTab(page, "Run");
      await page.getByText(/The page runs one backend/).waitFor();
      assert.deepEqual(await listViolations(page), []);
      await page.context().close();
    });

  test("axe finds nothing under Publish, with all options of a project", async () => {
    const own = await Studio.start(writeOut(project({ framework: "hono", features: ["auth"] })));
    try {
      const page = await own.open("#tab=publish", { colorScheme: "dark", viewport: { width: 360, height: 740 } });
      await page.getByText("More options").click();
      await page.getByLabel("Watch seconds").waitFor();
      assert.deepEqual(await listViolations(page), []);
      assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
    } finally {
      await own.close();
    }
  });

  test("from 360 px up, nothing is wider than the window", async () => {
    for (const own of ["framework=koa", "service=api=koa&service=a-long-name-of-a-service=nest&service=src=h3"]) {
      const narrow = { viewport: { width: 360, height: 740 } };
      const page = await studio.open(`${own}&resource=orders: note:string&with=auth`, narrow);
      for (const tab of tabs) {
        await openTab(page, tab);
        const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(wide) <= 0, `${tab} is ${wide} px too wide`);
      }
      await page.context().close();
    }
  });

  test("who wants no motion gets none", async () => {
    const page = await studio.open("", { reducedMotion: "reduce" });
    const moving = await page.evaluate(
      `[...document.querySelectorAll("*")].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length`,
    );
    assert.equal(moving, 0);
    await page.context().close();
  });

  test("by keyboard alone: from the name to a framework, a field, and another tab", async () => {
    const page = await studio.open();
    await focusByTab(page, "Name");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("by-keys");
    await focusByTab(page, "Hono");
    await page.keyboard.press("ArrowRight");
    await expectText(command(page), "npx dory new by-keys --framework koa");
    await focusByTab(page, "Add field");
    await page.keyboard.press("Enter");
    await page.getByLabel("Field name").nth(1).waitFor();
    await page.keyboard.press("Shift+Tab");
    await focusByTab(page, "Field name", { back: true });
    await page.keyboard.type("price");
    await focusByTab(page, "auth");
    await page.keyboard.press("Space");
    await expectText(command(page), /--field price:string --with auth$/);
    await focusByTab(page, "Choose", { back: true });
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tree", { name: "Files" }).waitFor();
    await page.keyboard.press("End");
    await expectFocus(page, "Publish");
    await page.context().close();
  });

  test("a button that is not ready keeps the focus, and says that it is not", async () => {
    const page = await studio.open("name=Wrong");
    const make = button(page, "Make it");
    await page.locator('[aria-invalid="true"]').waitFor();
    await make.focus();
    await page.keyboard.press("Enter");
    await expectFocus(page, "Make it");
    assert.equal(await make.getAttribute("aria-disabled"), "true");
    await page.context().close();
  });

  test("what scrolls can be reached by keyboard: a long command, at every width", async () => {
    const fields = Array.from({ length: 12 }, (_, index) => `field=quiteALongName${index}:string(1..200)`).join("&");
    const page = await studio.open(fields);
    await expectText(command(page), /quiteALongName11/);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      assert.deepEqual(await listViolations(page), [], String(width));
    }
    await page.context().close();
  });

  test("Remove moves the focus to the row before, or to what adds one", async () => {
    const page = await studio.open("field=a:string&field=b:string&resource=orders: note:string");
    const rows = page.getByRole("group", { name: "Fields" }).first().getByRole("group");
    await button(rows.nth(1), "Remove").press("Enter");
    await rows.nth(1).waitFor({ state: "detached" });
    await expectFocus(page, "Remove");
    await button(rows.first(), "Remove").press("Enter");
    await rows.first().waitFor({ state: "detached" });
    await expectFocus(page, "Add field");
    await button(page, "Remove resource").press("Enter");
    await button(page, "Remove resource").waitFor({ state: "detached" });
    await expectFocus(page, "Add resource");
    const services = page.getByRole("group", { name: "Services" });
    for (const name of ["api", "jobs"]) {
      await button(services, "Add service").press("Enter");
      await services
        .getByRole("group")
        .nth(name === "api" ? 0 : 1)
        .waitFor();
      await expectFocus(page, "Service name");
      await page.keyboard.type(name);
    }
    await button(services.getByRole("group").nth(1), "Remove").press("Enter");
    await services.getByRole("group").nth(1).waitFor({ state: "detached" });
    await expectFocus(page, "Remove");
    await page.keyboard.press("Enter");
    await services.getByRole("group").waitFor({ state: "detached" });
    await expectFocus(page, "Add service");
    await page.context().close();
  });
});

async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as axe.AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
