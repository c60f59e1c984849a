import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { noEngine, unpublish } from "../publish/support.ts";
import { command, expectFocus, expectText, focusByTab, noChromium, Studio } from "./browser.ts";
import { shareInstalledPackages } from "./work.ts";

const application = "dory-test-keys";
const port = 18_422;
/** The suite runs, an image is built, tried, and watched. */
const slow = 280_000;
const skip = noChromium || noEngine;

let studio: Studio;
before(async () => {
  if (skip) return;
  shareInstalledPackages({ isLocked: true });
  studio = await Studio.start();
});
after(async () => {
  if (skip) return;
  await studio.close();
  await unpublish(join(studio.folder, application));
});

test("by keyboard alone: choose, make, run, check, publish, roll back, unpublish", { skip }, async () => {
  const page = await studio.open();
  const press = (key: string) => page.keyboard.press(key);
  const back = { back: true };
  /** Replaces the text of the control that has the focus. */
  const type = async (text: string) => {
    await press("ControlOrMeta+a");
    await page.keyboard.type(text);
  };
  const activate = async (name: string, how = {}) => {
    await focusByTab(page, name, how);
    await press("Enter");
  };

  await focusByTab(page, "Name");
  await type(application);
  await focusByTab(page, "Hono");
  await press("ArrowRight");
  await press("ArrowLeft");
  await expectText(command(page), `npx dory new ${application} --framework hono`);
  await activate("Make it");
  await page.getByText(`${application} is in ./${application}`).waitFor({ timeout: slow });
  await expectFocus(page, "Make it");

  await focusByTab(page, "Choose", back);
  await press("ArrowRight");
  await press("ArrowRight");
  await activate("Start");
  await expectText(page.getByRole("region", { name: "Hono" }), /running/, slow);
  const creation = page.getByRole("form", { name: "POST /items" });
  await creation.waitFor();
  await focusByTab(page, "Body");
  await activate("Send");
  await expectText(creation.getByRole("status"), /201 Created.*"id"/s);
  await focusByTab(page, "Body", back);
  await type('{"name":5}');
  await activate("Send");
  await expectText(creation.getByRole("status"), /422 .*name must be a string/s);
  await activate("Check", back);
  await expectText(page.getByText(/\d+ of \d+ checks passed$/), /(?<!\d)(\d+) of \1 checks passed$/, slow);
  await activate("Stop", back);
  await expectText(page.getByRole("region", { name: "Hono" }), /stopped/, slow);

  await focusByTab(page, "Run", back);
  await press("End");
  await focusByTab(page, "Port");
  await type(String(port));
  await activate("More options");
  for (const box of ["Force", "Take over"]) {
    await focusByTab(page, box);
    await press("Space");
  }
  await focusByTab(page, "Watch seconds");
  await type("1");
  const publish = async (release: string) => {
    await activate("Plan");
    const plan = page.getByRole("status").filter({ hasText: `${application} to docker` });
    await plan.waitFor({ timeout: slow });
    await activate("Publish");
    await page.getByText(`${release} is live at`).waitFor({ timeout: slow });
  };
  await publish("r1");
  await focusByTab(page, "More options", back);
  await publish("r2");
  await page.getByRole("row", { name: /^r1 replaced/ }).waitFor({ timeout: slow });
  await activate("Roll back");
  await page.getByText("r3 is live at").waitFor({ timeout: slow });
  assert.equal((await fetch(`http://localhost:${port}/health`, { headers: { Connection: "close" } })).status, 200);

  await page.getByRole("row", { name: /^r3 live/ }).waitFor({ timeout: slow });
  await activate("Unpublish", back);
  await page.getByRole("dialog").waitFor();
  await expectFocus(page, "Name");
  await type(application);
  await focusByTab(page, "Delete its data too");
  await press("Space");
  await activate("Unpublish");
  await page.getByText(`${application} is not published here.`).waitFor({ timeout: slow });
  await expectFocus(page, "Unpublish");
});
