import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";

const [chromiumPath] = [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"].filter(
  existsSync,
);

/** Why tests in a browser are skipped; false if there is one. */
export const noChromium = chromiumPath
  ? false
  : "no Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM";

/** `dory studio` in a folder of its own, and a browser beside it. */
export class Studio {
  readonly folder: string;
  readonly #browser: Browser;
  #started: ReturnType<typeof dory>;
  /** What it has printed. */
  #printed = "";
  /** Requests of pages that went to another host. */
  readonly strangers: string[] = [];
  /** What pages have thrown or logged as an error. */
  readonly errors: string[] = [];

  static async start(folder = temporaryFolder()): Promise<Studio> {
    const browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
    return new Studio(folder, browser);
  }

  private constructor(folder: string, browser: Browser) {
    this.folder = folder;
    this.#browser = browser;
    this.#started = this.#run();
  }

  #run(...flags: string[]): ReturnType<typeof dory> {
    const started = dory(this.folder, ["studio", "--no-open", ...flags]);
    started.child.stdout.on("data", (chunk) => (this.#printed += chunk));
    return started;
  }

  /** Kills it as nothing can prevent. */
  async kill(): Promise<void> {
    this.#started.child.kill("SIGKILL");
    await this.#started.outcome;
  }

  /** Starts it once more, at the same address. */
  startAgain(): void {
    const [, port = ""] = /:(\d+)\//.exec(this.#printed) ?? [];
    this.#printed = "";
    this.#started = this.#run("--port", port);
  }

  get pid(): number {
    return this.#started.child.pid ?? 0;
  }

  /** The address that was printed last: each opens one browser. */
  async findAddress(): Promise<string> {
    for (let waited = 0; waited < 300; waited++) {
      const [address] = this.#printed.match(/http:\S+/g)?.slice(-1) ?? [];
      const isUsed = address !== undefined && this.#used.has(address);
      if (address !== undefined && !isUsed) {
        this.#used.add(address);
        return address;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`The studio printed no address: ${this.#printed}`);
  }
  readonly #used = new Set<string>();

  /** A page in a new browser profile. `query` is what a link has after the `?`. */
  async open(query = "", options: BrowserContextOptions = {}): Promise<Page> {
    const address = new URL(await this.findAddress());
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      if (hostname !== address.hostname && protocol.startsWith("http")) this.strangers.push(request.url());
    });
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => void (message.type() === "error" && this.errors.push(message.text())));
    const [search = "", hash = ""] = query.split("#");
    const given = search === "" ? "" : `&${search}`;
    await page.goto(`${address.href}${given}${hash === "" ? "" : `#${hash}`}`);
    await page.getByRole("tab", { name: "Choose" }).waitFor();
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#started.child.kill("SIGTERM");
    await this.#started.outcome;
  }
}

/** Presses Tab until a control with this name has the focus. */
export async function focusByTab(page: Page, name: string, { back = false } = {}): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
    const focused = await readFocus(page);
    if (focused === name) return;
    passed.push(focused);
  }
  assert.fail(`Tab does not reach ${name}: ${passed.join(", ")}`);
}

/** Waits until a control with this name has the focus: it follows what is shown. */
export async function expectFocus(page: Page, name: string): Promise<void> {
  await eventually(async () => (await readFocus(page)) === name, `the focus on ${name}`, 5000);
}

/** The name of what has the focus. */
async function readFocus(page: Page): Promise<string> {
  return String(
    await page.evaluate(`{
      const { activeElement: one } = document;
      const labelled = document.getElementById(one.getAttribute("aria-labelledby") ?? "");
      const [label] = one.labels ?? [];
      (labelled ?? label ?? one).textContent.trim();
    }`),
  );
}

export const openTab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();

export const button = (page: Page | Locator, name: string) => page.getByRole("button", { name, exact: true });

/** The command that repeats the choices; it follows every choice. */
export const command = (page: Page) => page.getByLabel("Command", { exact: true });

/** Waits until a text is shown. */
export async function expectText(locator: Locator, pattern: RegExp | string, timeout = 15_000): Promise<void> {
  const matches = (text: string) => (typeof pattern === "string" ? text === pattern : pattern.test(text));
  const end = Date.now() + timeout;
  let text = "";
  while (Date.now() < end) {
    text = await locator
      .first()
      .textContent({ timeout: 1000 })
      .then(String, () => "");
    if (matches(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`Expected ${pattern}, but there is ${JSON.stringify(text.slice(0, 2000))}`);
}
