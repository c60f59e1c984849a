import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newProject, noEngine, unpublish } from "../publish/support.ts";
import { button, expectText, noChromium, Studio } from "./browser.ts";

const application = "dory-test-page";
const port = 18_420;
const url = `http://localhost:${port}`;
/** An image is built, tried, and watched. */
const slow = 280_000;

describe("the page: publishing to an engine", { skip: noChromium || noEngine }, () => {
  let studio: Studio;
  let folder: string;
  let page: Page;
  before(async () => {
    folder = await newProject(application);
    await unpublish(folder);
    studio = await Studio.start(folder);
    page = await studio.open("#tab=publish");
  });
  after(async () => {
    await studio.close();
    await unpublish(folder);
  });

  const steps = () => page.getByRole("list", { name: "Steps" });
  const row = (release: string) => page.getByRole("row", { name: new RegExp(`^${release}\\b`) });

  /** On a connection of its own: one that was kept may have been closed meanwhile. */
  const readHealth = async () => (await fetch(`${url}/health`, { headers: { Connection: "close" } })).status;

  async function publish(): Promise<void> {
    await button(page, "Plan").click();
    await button(page, "Publish").click({ timeout: slow });
    await expectText(steps(), /Build/, slow);
  }

  test("nothing can be published without a plan, and a wrong port is refused at its field", async () => {
    assert.equal(await button(page, "Publish").getAttribute("aria-disabled"), "true");
    await page.getByLabel("Port").fill("none");
    await button(page, "Plan").click();
    const field = page.getByLabel("Port");
    await page.locator('[aria-invalid="true"]').waitFor({ timeout: slow });
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    await page.getByText("--port must be a whole number from 1 to 65535.").waitFor();
    await field.fill(String(port));
  });

  test("a plan is published, also if the page is loaded again meanwhile", async () => {
    await publish();
    await page.reload();
    await expectText(steps(), /Build/);
    await page.getByText("r1 is live at").waitFor({ timeout: slow });
    assert.equal(await readHealth(), 200);
    await expectText(row("r1"), /live/, slow);
    await page.getByRole("link", { name: url }).first().waitFor();
  });

  test("what was planned is published, and nothing else", async () => {
    await page.getByLabel("Port").fill(String(port));
    await button(page, "Plan").click();
    const plan = page.getByRole("status").filter({ hasText: `${application} to docker` });
    await plan.waitFor({ timeout: slow });
    await page.getByLabel("Port").fill(String(port + 1));
    assert.equal(await button(page, "Publish").getAttribute("aria-disabled"), "true");
    await page.getByLabel("Port").fill(String(port));
  });
});
