import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { frameworks } from "../../src/new/choices.ts";
import { fieldTypes } from "../../src/new/field-types.ts";
import { version } from "../../src/version.ts";
import { dory } from "../dory.ts";
import { run, temporaryFolder } from "../support.ts";
import { button, command, expectText, noChromium, openTab, Studio } from "./browser.ts";

const titles: Record<(typeof frameworks)[number], string> = {
  elysia: "Elysia",
  express: "Express",
  fastify: "Fastify",
  h3: "h3",
  hapi: "hapi",
  hono: "Hono",
  koa: "Koa",
  nest: "NestJS",
};

describe("the page: choosing, files and links", { skip: noChromium }, () => {
  let studio: Studio;
  before(async () => {
    studio = await Studio.start();
  });
  after(() => studio.close());

  test("every framework can be chosen by its own name", async () => {
    const page = await studio.open();
    const group = page.getByRole("radiogroup", { name: "Framework" });
    for (const framework of frameworks) {
      await group.getByRole("radio", { name: titles[framework], exact: true }).check();
      await expectText(command(page), `npx dory new my-api --framework ${framework}`);
      assert.match(page.url(), new RegExp(`[?&]framework=${framework}&`));
    }
    await page.context().close();
  });

  test("database, features and webhooks are in the command and in the address", async () => {
    const page = await studio.open();
    await page
      .getByRole("radiogroup", { name: "Database" })
      .getByRole("radio", { name: "SQLite", exact: true })
      .check();
    const features = page.getByRole("group", { name: "Features" });
    for (const feature of ["auth", "cors", "item-routes"])
      await features.getByRole("checkbox", { name: feature, exact: true }).check();
    await page.getByRole("group", { name: "Webhooks" }).getByRole("checkbox", { name: "GitHub" }).check();
    const flags = "--framework hono --database sqlite --with auth,cors,item-routes --webhook github";
    await expectText(command(page), `npx dory new my-api ${flags}`);
    const { searchParams } = new URL(page.url());
    assert.deepEqual(searchParams.getAll("with").join(), "auth,cors,item-routes");
    await page.context().close();
  });

  test("every type of field has its controls, and its bounds where it has them", async () => {
    const page = await studio.open();
    const rows = page.getByRole("group", { name: "Fields" }).getByRole("group");
    const row = rows.first();
    await row.getByLabel("Field name").fill("value");
    for (const type of fieldTypes) {
      await row.getByLabel("Type").selectOption(type);
      if (type === "enum") await row.getByLabel("Values").fill("small|large");
      if (type === "ref") {
        await row.getByLabel("Field name").fill("value");
        await button(page, "Add resource").click();
        await page.getByLabel("Resource name").fill("orders");
        await page.getByRole("region", { name: "Resource orders" }).getByLabel("Field name").fill("note");
        await row.getByLabel("Refers to").selectOption("orders");
      }
      if (["string", "number", "integer"].includes(type)) {
        await row.getByLabel("Minimum").fill("1");
        await row.getByLabel("Maximum").fill("5");
      }
      const bounds = { enum: "(small|large)", ref: "(orders)", string: "(1..5)", number: "(1..5)", integer: "(1..5)" };
      const written = `value:${type}${bounds[type as keyof typeof bounds] ?? ""}`;
      const escaped = written.replaceAll(/[[\]().|]/g, "\\$&");
      await expectText(command(page), new RegExp(`--field '?${escaped}'?( |$)`));
      assert.equal(await row.locator('[aria-invalid="true"]').count(), 0, type);
      if (type === "ref") await button(page, "Remove resource").click();
    }
    await page.context().close();
  });

  test("optional, unique and default are written as on the command line", async () => {
    const page = await studio.open();
    const group = page.getByRole("group", { name: "Fields" });
    await button(group, "Add field").click();
    const row = group.getByRole("group").nth(1);
    await row.getByLabel("Field name").fill("count");
    await row.getByLabel("Type").selectOption("integer");
    await row.getByLabel("Default").fill("3");
    await expectText(command(page), /--field count:integer=3$/);
    await row.getByLabel("Default").fill("");
    await row.getByLabel("Optional").check();
    await row.getByLabel("Unique").check();
    await expectText(command(page), /--field 'count:integer\? unique'$/);
    await button(row, "Remove").click();
    await expectText(command(page), "npx dory new my-api --framework hono");
    await page.context().close();
  });

  test("a fault stands at its control in the words of the command line, and is announced", async () => {
    const page = await studio.open();
    const name = page.getByLabel("Field name");
    await name.fill("Unit price");
    const described = await readDescription(page, name);
    const { outcome } = dory(temporaryFolder(), ["new", "a", "--framework", "hono", "--field", "Unit price:string"]);
    assert.ok((await outcome).stderr.includes(described), described);
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    assert.equal(await button(page, "Make it").getAttribute("aria-disabled"), "true");
    await name.fill("unitPrice");
    await expectText(command(page), /unitPrice/);
    await page.locator('[aria-invalid="true"]').waitFor({ state: "detached" });
    const project = page.getByLabel("Name", { exact: true });
    await project.fill("My API");
    assert.match(await readDescription(page, project), /^"My API" cannot name a project/);
    await page.context().close();
  });

  test("services make an application: in the command, the address, a link, the files and a download", async () => {
    const page = await studio.open("name=shop&framework=koa&database=sqlite");
    const group = page.getByRole("group", { name: "Services" });
    await button(group, "Add service").click();
    const rows = group.getByRole("group");
    await page.keyboard.type("api");
    assert.equal(await rows.first().getByLabel("Framework").inputValue(), "koa");
    await button(group, "Add service").click();
    await rows.nth(1).getByLabel("Service name").fill("jobs");
    await rows.nth(1).getByLabel("Framework").selectOption("Express");
    await expectText(command(page), "npx dory new shop --service api=koa --service jobs=express --database sqlite");
    await page.waitForURL(/[?&]service=api=koa&service=jobs=express&.*digest=/);
    assert.ok(!page.url().includes("framework="));
    await page.goBack();
    assert.equal(await rows.nth(1).getByLabel("Framework").inputValue(), "koa");
    await page.goForward();
    await expectText(command(page), /jobs=express --database sqlite$/);
    const other = await studio.open(new URL(page.url()).search.slice(1));
    await expectText(command(other), (await command(page).textContent()) ?? "");
    await openTab(other, "Files");
    await expectText(other.getByRole("region", { name: "Code" }), /import Koa from "koa"/);
    await other.getByLabel("Compare with").selectOption("Without service jobs");
    await expectText(other.getByText(/^Against Without service jobs/), /Against/);
    await other.getByRole("treeitem", { name: "README.md changed" }).waitFor();
    await openTab(other, "Run");
    await other.getByText(/The page runs one backend/).waitFor();
    assert.equal(await button(other, "Start").getAttribute("aria-disabled"), "true");
    await other.context().close();
    const [made, folder] = [temporaryFolder(), temporaryFolder()];
    const flags = "shop --service api=koa --service jobs=express --database sqlite --no-install --no-git";
    assert.equal((await dory(made, ["new", ...flags.split(" ")]).outcome).code, 0);
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Download .tgz").click()]);
    await download.saveAs(join(folder, "archive"));
    await run(folder, "tar", "xzf", "archive");
    const [own, written] = [folder, join(made, "shop")].map((path) => readFileSync(join(path, "dory.json"), "utf8"));
    assert.equal(own, written?.replace(/ *"id": .*\n/, ""));
    await run(folder, "diff", "-r", "-x", ".env", "-x", "dory.json", "-x", "archive", ".", join(made, "shop"));
    await button(rows.nth(1), "Remove").click();
    await rows.nth(1).waitFor({ state: "detached" });
    await button(rows.first(), "Remove").click();
    await expectText(command(page), "npx dory new shop --framework koa --database sqlite");
    assert.ok(await page.getByRole("radio", { name: "Koa", exact: true }).isChecked());
    await page.context().close();
  });

  test("a fault of a service stands at its name or its framework, and a framework beside services at all of its group", async () => {
    const page = await studio.open("name=shop&service=api=hono&service=api=koa&service=jobs");
    const rows = page.getByRole("group", { name: "Services" }).getByRole("group");
    const name = rows.nth(1).getByLabel("Service name");
    const expectFault = async (control: ReturnType<Page["getByLabel"]>, ...flags: string[]) => {
      const described = await readDescription(page, control);
      const { outcome } = dory(temporaryFolder(), ["new", "shop", ...flags]);
      assert.ok(described !== "" && (await outcome).stderr.includes(described), described);
      assert.equal(await control.getAttribute("aria-invalid"), "true");
    };
    await expectFault(name, "--service", "api=hono", "--service", "api=koa");
    await expectFault(rows.nth(2).getByLabel("Framework"), "--service", "jobs");
    await name.fill("src");
    await expectText(page.getByText(/^"src" cannot name a service/), /folder with another use/);
    await name.fill("web");
    await rows.nth(2).getByLabel("Framework").selectOption("h3");
    await page.locator('[aria-invalid="true"]').waitFor({ state: "detached" });
    const hono = page.getByRole("radio", { name: "Hono", exact: true });
    await hono.check();
    await expectFault(hono, "--service", "api=hono", "--framework", "hono");
    await page.getByRole("radio", { name: "Of each service" }).check();
    await page.locator('[aria-invalid="true"]').first().waitFor({ state: "detached" });
    await expectText(command(page), /^npx dory new shop --service api=hono --service web=koa --service jobs=h3$/);
    await page.context().close();
  });

  test("a fault of one bound stands at that bound, and one of a group at all of it", async () => {
    const page = await studio.open("framework=foo&field=a:string");
    const hono = page.getByRole("radio", { name: "Hono", exact: true });
    assert.match(await readDescription(page, hono), /^There is no framework "foo"/);
    await hono.check();
    await page.getByLabel("Maximum").fill("abc");
    assert.match(await readDescription(page, page.getByLabel("Maximum")), /write bounds like/);
    assert.equal(await page.getByLabel("Minimum").getAttribute("aria-invalid"), null);
    await page.context().close();
  });

  test("the command is there before the first answer, and controls that a type has not are off", async () => {
    const page = await studio.open("framework=koa");
    await page.route("**/api/preview", () => {});
    await page.reload();
    assert.equal(await command(page).textContent(), "npx dory new my-api --framework koa");
    await page.getByLabel("Type").selectOption("enum");
    assert.ok(await page.getByLabel("Unique").isDisabled());
    await page.getByLabel("Type").selectOption("ref");
    assert.deepEqual(await page.getByLabel("Refers to").locator("option").allTextContents(), ["Choose a resource"]);
    await page.context().close();
  });

  /** What is read with a control: its fault, in a region that is announced. */
  async function readDescription(page: Page, control: ReturnType<Page["getByLabel"]>): Promise<string> {
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await control.and(page.locator("[aria-describedby]")).waitFor();
    const ids = (await control.getAttribute("aria-describedby"))?.split(" ") ?? [];
    const fault = page.locator(`[id="${ids.at(-1)}"]`);
    assert.equal(await fault.getAttribute("aria-live"), "polite");
    return (await fault.textContent()) ?? "";
  }

  test("Back and Forward go through the choices, and typing is one step", async () => {
    const page = await studio.open();
    const koa = page.getByRole("radio", { name: "Koa", exact: true });
    await koa.check();
    await page.getByLabel("Name", { exact: true }).press("End");
    await page.keyboard.type("-two");
    await openTab(page, "Files");
    await page.getByRole("tree", { name: "Files" }).waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "my-api-two");
    await page.goBack();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "my-api");
    assert.ok(await koa.isChecked());
    await page.goBack();
    assert.ok(await page.getByRole("radio", { name: "Hono", exact: true }).isChecked());
    await page.goForward();
    assert.ok(await koa.isChecked());
    await expectText(command(page), "npx dory new my-api --framework koa");
    await page.context().close();
  });

  test("a shared link makes the same project in another browser", async () => {
    const page = await studio.open("", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("radio", { name: "NestJS" }).check();
    await page.getByRole("checkbox", { name: "auth" }).check();
    await expectText(command(page), /nest --with auth$/);
    await button(page, "Share").click();
    await page.getByText("The link is copied.").waitFor();
    const link = new URL(String(await page.evaluate("navigator.clipboard.readText()")));
    assert.equal(link.searchParams.get("dory"), version);
    const other = await studio.open(link.search.slice(1));
    assert.ok(await other.getByRole("radio", { name: "NestJS" }).isChecked());
    assert.ok(await other.getByRole("checkbox", { name: "auth" }).isChecked());
    await expectText(command(other), (await command(page).textContent()) ?? "");
    await other.waitForURL((url) => url.searchParams.get("digest") === link.searchParams.get("digest"));
    await Promise.all([page, other].map((one) => one.context().close()));
  });

  test("a link with unknown parameters, or of another version, says so and keeps the rest", async () => {
    const page = await studio.open("framework=koa&colour=red&dory=9.9.9&digest=0000");
    assert.ok(await page.getByRole("radio", { name: "Koa" }).isChecked());
    await page.getByText('There is no parameter "colour".').waitFor();
    await page.getByText("This link was made by Dory 9.9.9").waitFor();
    await page.context().close();
  });

  test("a download is what dory new makes", async () => {
    const page = await studio.open("name=shop&framework=fastify&with=auth&field=price:number(0..)?");
    const asked = ["new", "shop", "--framework", "fastify", "--with", "auth", "--field", "price:number(0..)?"];
    const made = temporaryFolder();
    assert.equal((await dory(made, [...asked, "--no-install", "--no-git"]).outcome).code, 0);
    for (const form of ["tgz", "zip"]) {
      const folder = temporaryFolder();
      const [download] = await Promise.all([page.waitForEvent("download"), button(page, `Download .${form}`).click()]);
      assert.equal(download.suggestedFilename(), `shop.${form}`);
      await download.saveAs(join(folder, "archive"));
      if (form === "zip") {
        assert.equal(readFileSync(join(folder, "archive")).toString("latin1", 0, 4), "PK\x03\x04");
        continue;
      }
      await run(folder, "tar", "xzf", "archive");
      // A project gets its id, and the secrets of this machine, when it is made there.
      const [own, other] = [folder, join(made, "shop")].map((path) => readFileSync(join(path, "dory.json"), "utf8"));
      assert.equal(own, other?.replace(/ *"id": .*\n/, ""));
      await run(folder, "diff", "-r", "-x", ".env", "-x", "dory.json", "-x", "archive", ".", join(made, "shop"));
    }
    await page.context().close();
  });

  test("Files shows every file, by keyboard too, and what another framework changes in it", async () => {
    const page = await studio.open("framework=hono#tab=files");
    const tree = page.getByRole("tree", { name: "Files" });
    const code = page.getByRole("region", { name: "Code" });
    await expectText(code, /import \{ Hono \} from "hono"/);
    await tree.getByRole("treeitem", { name: "package.json" }).click();
    await expectText(code, /"name": "my-api"/);
    await tree.getByRole("treeitem", { name: "package.json" }).press("Home");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "End", "Enter"])
      await page.keyboard.press(key);
    await expectText(code, /"compilerOptions"/);
    await page.getByLabel("Compare with").selectOption("Koa");
    await expectText(page.getByText(/^Against Koa/), /Against Koa/);
    await tree.getByRole("treeitem", { name: "app.ts changed" }).click();
    await expectText(code, /import Koa from "koa"/);
    await expectText(code, /import \{ Hono \} from "hono"/);
    await page.context().close();
  });

  test("in an application's folder the page shows it; one whose services differ can still be published", async () => {
    const folder = temporaryFolder();
    const args = ["new", "shop", "--service", "api=hono", "--service", "jobs=koa", "--with", "auth"];
    assert.equal((await dory(folder, [...args, "--no-install"]).outcome).code, 0);
    const own = await Studio.start(join(folder, "shop"));
    try {
      const page = await own.open();
      await page.getByText("shop is in this folder").waitFor();
      await expectText(command(page), "npx dory new shop --service api=hono --service jobs=koa --with auth");
      await button(page, "Add service").click();
      await page.keyboard.type("web");
      await button(page, "Preview change").click();
      await page.getByRole("heading", { name: "Add service web" }).waitFor();
      await openTab(page, "Publish");
      await page.getByLabel("API_TOKENS").waitFor();
      assert.equal((await dory(join(folder, "shop/jobs"), ["add", "cors", "--no-install"]).outcome).code, 0);
      await openTab(page, "Choose");
      await page.reload();
      await page.getByText(/^The services of shop differ in more than their frameworks/).waitFor();
      await openTab(page, "Publish");
      await page.getByLabel("API_TOKENS").waitFor();
      assert.deepEqual(own.errors, []);
    } finally {
      await own.close();
    }
  });

  test("the first load is small, and no request goes to another host", async () => {
    const page = await studio.open();
    await command(page).waitFor();
    const scripts = (await page.evaluate(
      `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).map(({ encodedBodySize }) => encodedBodySize)`,
    )) as number[];
    const total = scripts.reduce((sum, size) => sum + size, 0);
    assert.ok(scripts.length > 0 && total > 0 && total <= 60_000, `${total} bytes of script`);
    assert.deepEqual(studio.strangers, []);
    assert.deepEqual(studio.errors, []);
    await page.context().close();
  });
});
