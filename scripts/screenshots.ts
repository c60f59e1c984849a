import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * Takes the pictures of the README and of docs/studio.md from the real page: it makes a project, runs it and another one
 * beside it, and publishes it to the container engine of this machine, from which it removes it again.
 */
const root = join(import.meta.dirname, "..");
const images = join(root, "docs/images");
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const slow = 300_000;
const proved = /^(\d+) of \1 checks passed$/;
const port = "18421";
const choices =
  "name=shop&framework=fastify&field=name:string(1..80) unique&field=price:number(0..)&field=kind:enum(tea|coffee)=tea&resource=orders: itemId:ref(items), quantity:integer(1..)&with=auth&with=item-routes";

mkdirSync(images, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "dory-"));
const studio = spawn(process.execPath, [join(root, "scripts/studio.ts"), folder, "--no-open"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const printed: string[] = [];
createInterface(studio.stdout).on("line", (line) => printed.push(...(line.match(/http:\S+token=\S+/) ?? [])));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  await takeAll();
} finally {
  await browser.close();
  if (studio.exitCode === null && studio.kill("SIGTERM")) await new Promise((resolve) => studio.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
}

async function takeAll(): Promise<void> {
  const page = await open(`&${choices}`, { colorScheme: "light" });
  if (isAsked("light") || isAsked("dark")) {
    await press(page, "Prove it");
    await page.getByText(proved).waitFor({ timeout: slow });
  }
  if (isAsked("light")) await take(page, "studio-light", 860);
  if (isAsked("dark")) await takeDark();
  await press(page, "Make it");
  await page.getByText("shop is in ./shop").waitFor({ timeout: slow });
  if (isAsked("choose")) await takeChoose(page);
  if (isAsked("files")) await takeFiles(page);
  if (isAsked("run")) await takeRun(page);
  const engine = spawnSync("docker", ["version"], { stdio: "ignore" });
  if (engine.status !== 0) console.log("No container engine answers here: the picture of Publish stays as it is.");
  else if (isAsked("publish")) await takePublish(page);
}

/** `npm run screenshots -- run` takes one of them. */
function isAsked(name: string): boolean {
  const asked = process.argv.slice(2);
  return asked.length === 0 || asked.includes(name);
}

async function takeDark(): Promise<void> {
  const page = await open(`&${choices}`, { colorScheme: "dark" });
  await page.getByText(proved).waitFor({ timeout: slow });
  await take(page, "studio-dark", 860);
  await page.context().close();
}

/** The fields, and a fault at one of them. */
async function takeChoose(page: Page): Promise<void> {
  await page.getByLabel("Field name").nth(1).fill("Unit price");
  await page.getByText("is not a camelCase name").waitFor();
  await page.getByRole("group", { name: "Fields" }).first().scrollIntoViewIfNeeded();
  await page.evaluate("scrollTo(0, document.querySelector('.field-row').getBoundingClientRect().top + scrollY - 140)");
  await take(page, "studio-choose");
  await press(page, "Undo choices");
  await page.getByText("shop is in ./shop").waitFor();
}

async function takeFiles(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByLabel("Compare with").selectOption("Hono");
  await page.getByRole("treeitem", { name: "app.ts changed" }).click();
  await page.getByRole("columnheader", { name: "Hono" }).waitFor();
  await page.evaluate("scrollTo(0, 0)");
  await take(page, "studio-files", 720);
}

async function takeRun(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Run" }).click();
  await page.getByLabel("Beside it").selectOption("Koa");
  await press(page, "Start");
  for (const name of ["Fastify", "Koa"])
    await page.getByRole("region", { name, exact: true }).getByText("running").waitFor({ timeout: slow });
  await press(page, "Check");
  await page.getByText(/^Koa (\d+) of \1 checks passed$/).waitFor({ timeout: slow });
  await press(page, "Benchmark");
  await page.getByText(/^Fastify answers/).waitFor({ timeout: slow });
  const creation = page.getByRole("form", { name: "POST /items", exact: true });
  await creation.getByRole("button", { name: "Send" }).click();
  await creation.getByText("201").first().waitFor();
  await page.evaluate("scrollTo(0, 0)");
  await take(page, "studio-run", 960);
  await press(page, "Stop");
}

async function takePublish(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Publish" }).click();
  await page.getByLabel("Port").fill(port);
  await press(page, "Plan");
  await press(page, "Publish");
  await page.getByText("r1 is live at").waitFor({ timeout: slow });
  await page.getByRole("cell", { name: "live" }).waitFor({ timeout: slow });
  await page.evaluate("scrollTo(0, 0)");
  await take(page, "studio-publish", 960);
  await press(page, "Unpublish");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("shop");
  await dialog.getByLabel("Delete its data too").check();
  await dialog.getByRole("button", { name: "Unpublish" }).click();
  await page.getByText("shop is not published here.").waitFor({ timeout: slow });
}

async function open(query: string, options: BrowserContextOptions): Promise<Page> {
  while (printed.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  await page.goto(`${printed.pop()}${query}`);
  return page;
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click({ timeout: slow });
}

async function take(page: Page, name: string, height = 800): Promise<void> {
  await page.setViewportSize({ width: 1280, height });
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  console.log(`${path}: ${Math.round(statSync(path).size / 1024)} KB`);
}
