import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newProject, noEngine, runDory, unpublish } from "../publish/support.ts";
import { run } from "../support.ts";
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

  /** Plans and publishes; the steps are those of this publish once the ones before are gone. */
  async function publish(options: { watch: number; isTested?: boolean }): Promise<void> {
    if (!(await page.getByLabel("Watch seconds").isVisible())) await page.getByText("More options").click();
    await page.getByLabel("Watch seconds").fill(String(options.watch));
    await page.getByLabel("Health seconds").fill("30");
    await page.getByLabel("No smoke").setChecked(options.isTested !== true);
    await button(page, "Plan").click();
    await button(page, "Publish").click({ timeout: slow });
    await button(page, "Cancel").waitFor();
    await expectText(steps(), /Build/, slow);
  }

  /** Commits another version, which may end as soon as it is started. */
  async function commit({ isSick = false } = {}): Promise<void> {
    const path = join(folder, "src/main.ts");
    const own = readFileSync(path, "utf8").replace(/^throw .*\n/, "");
    writeFileSync(path, `${isSick ? 'throw new Error("It feels sick");\n' : ""}${own}// ${Date.now()}\n`);
    await run(folder, "git", "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-qam", "Change");
  }

  test("nothing can be published without a plan, and what is wrong is refused at its field", async () => {
    assert.equal(await button(page, "Publish").getAttribute("aria-disabled"), "true");
    for (const [label = "", flag = "", most = ""] of [
      ["Port", "port", "1 to 65535"],
      ["Health seconds", "health-seconds", "1 to 3600"],
    ]) {
      const field = page.getByLabel(label);
      if (!(await field.isVisible())) await page.getByText("More options").click();
      await field.fill("none");
      await button(page, "Plan").click();
      await page.getByText(`--${flag} must be a whole number from ${most}.`).waitFor({ timeout: slow });
      // A question about the target does not hide it.
      for (const _ of ["asks", "waits for the answer"]) await button(page, "Status").click({ timeout: slow });
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      await field.fill("");
    }
    await page.getByLabel("Port").fill(String(port));
  });

  test("a plan is published, also if the page is loaded again meanwhile", async () => {
    await publish({ watch: 1, isTested: true });
    await page.reload();
    await expectText(steps(), /Build/);
    await page.getByText("r1 is live at").waitFor({ timeout: slow });
    assert.equal(await readHealth(), 200);
    await expectText(row("r1"), /live/, slow);
    await page.getByRole("link", { name: url }).first().waitFor();
  });

  test("what was planned is published, and nothing else", async () => {
    await button(page, "Plan").click();
    const plan = page.getByRole("status").filter({ hasText: `${application} to docker` });
    await plan.waitFor({ timeout: slow });
    await page.getByLabel("Port").fill(String(port + 1));
    assert.equal(await button(page, "Publish").getAttribute("aria-disabled"), "true");
    await page.getByLabel("Port").fill("");
  });

  test("a sick release is taken back: the page says why, and the one before it serves", async () => {
    await commit({ isSick: true });
    await publish({ watch: 1 });
    const reason = page.getByRole("alert").filter({ hasText: "It feels sick" });
    await reason.waitFor({ timeout: slow });
    await page.getByText(/^(Nothing was changed|The previous release is live again)\.$/).waitFor();
    await expectText(row("r2"), /failed.*It feels sick/s, slow);
    await expectText(row("r1"), /live/, slow);
    assert.equal(await readHealth(), 200);
  });

  test("a release is rolled back from the table to the one before it", async () => {
    await commit();
    await publish({ watch: 1 });
    await page.getByText("r3 is live at").waitFor({ timeout: slow });
    await expectText(row("r1"), /replaced/, slow);
    assert.equal(await button(row("r2"), "Roll back").count(), 0);
    await button(row("r1"), "Roll back").click();
    await expectText(row("r4"), /live restores r1/, slow);
    await page.getByText("r4 is live at").waitFor({ timeout: slow });
    assert.equal(await readHealth(), 200);
  });

  test("status and logs are what the commands print", async () => {
    await button(page, "Status").click();
    await page.getByText(`${application}: 1 of 1 ready`).waitFor({ timeout: slow });
    await page.getByText("Options of logs and rollbacks").click();
    await page.getByLabel("Follow").check();
    await button(page, "Logs").click();
    await expectText(page.getByRole("log"), /listening/i, slow);
    await fetch(`${url}/items`, { headers: { Connection: "close" } });
    await expectText(page.getByRole("log"), /"route":"\/items"/, slow);
    await button(page, "Stop following").click();
    await button(page, "Stop following").waitFor({ state: "detached" });
  });

  test("if the studio is killed in the middle of a publish, the page says what is pending, and the terminal publishes", async () => {
    await commit();
    await publish({ watch: 60 });
    await expectText(steps(), /Watch it for 60 s: started/, slow);
    await studio.kill();
    await page.getByText("The studio does not answer.").first().waitFor({ timeout: slow });
    assert.equal(await readHealth(), 200);
    studio.startAgain();
    const address = await studio.findAddress();
    // The page that was open is not one of the studio that was started again.
    await page.getByText("This browser has not opened the studio.").waitFor({ timeout: slow });
    await page.goto(`${address}#tab=publish`);
    await page.getByText(/r5 is pending/).waitFor({ timeout: slow });
    await expectText(row("r5"), /pending/);
    await expectText(row("r4"), /live/);
    const { code, stdout, stderr } = await runDory(folder, ["publish", "--wait", "--no-smoke", "--watch-seconds", "1"]);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /End r5, whose publisher was cut off/);
    assert.equal(await readHealth(), 200);
    await button(page, "Status").click();
    // It served, so the next publisher made it live, and had nothing else to do.
    await expectText(row("r5"), /live/, slow);
    await expectText(row("r4"), /replaced/);
  });

  test("it is unpublished once its name was typed", async () => {
    await button(page, "Unpublish").click();
    const dialog = page.getByRole("dialog");
    assert.equal(await button(dialog, "Unpublish").getAttribute("aria-disabled"), "true");
    await dialog.getByLabel("Name").fill(application);
    await dialog.getByLabel("Delete its data too").check();
    await button(dialog, "Unpublish").click();
    await page.getByText(`${application} is not published here.`).waitFor({ timeout: slow });
    await assert.rejects(readHealth());
    assert.deepEqual(studio.strangers, []);
  });
});
