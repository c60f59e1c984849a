import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Parts } from "./src/config.ts";

/** The tools of this project: one file in `.dory`, which `dory update` replaces. `package.json` names it. */
export interface Kit {
  /** Runs what the scripts in `package.json` call: `build`, `migrate`, `openapi` or `test`. */
  run(args: string[]): Promise<void>;
  /** Creates an app on an empty database: without the server around it, and so without its checks and limits. It is closed after the tests. */
  openApp<App>(createApp: (parts: Parts) => App | Promise<App>): Promise<App>;
  /** Serves the app on an empty database as clients see it, in the server around it; returns its URL. Nothing works in the background. */
  serve(): Promise<string>;
  /** Sends a request with JSON to a backend, as a client would. An answer that is not JSON is returned as text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  ask(url: string, method: string, path: string, json?: unknown): Promise<{ status: number; body: any }>;
  /** Tests what every backend answers, on each database, its features, and whether `openapi.json` is up to date. */
  testContract(): Promise<void>;
}

export const { run, openApp, serve, ask, testContract } = await loadKit();

if (import.meta.main) await run(process.argv.slice(2));

async function loadKit(): Promise<Kit> {
  const url = findKit();
  const [, path, version] = /(\.dory\/dory-(.+)\.js)$/.exec(url) ?? [];
  if (path === undefined)
    exitWith('package.json does not name the tools: "imports": { "#dory": "./.dory/dory-….js" }.');
  const fault = findFault(fileURLToPath(url));
  if (fault !== undefined)
    exitWith(`${path} ${fault}. Restore it: git checkout -- .dory. If it was committed so: npx dory@${version} update`);
  const { kit } = await import(url);
  return kit;
}

function findKit(): string {
  try {
    return import.meta.resolve("#dory");
  } catch {
    return import.meta.url;
  }
}

function exitWith(fault: string): never {
  console.error(fault);
  process.exit(1);
}

/** The last line of the file has the hash of all before it. */
function findFault(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return "is missing";
  const text = readFileSync(file, "utf8");
  const end = text.lastIndexOf("// sha256 ");
  const isWhole = text.slice(end) === `// sha256 ${hash("sha256", text.slice(0, end))}\n`;
  return isWhole ? undefined : "was changed";
}
