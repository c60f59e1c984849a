/**
 * Runs the suite of another project, once as it is and once with a backend's server instead of Node's, and prints which tests
 * fail only then: node scripts/foreign-suites.ts FOLDER [ARGUMENT…]. The folder is a checkout with its packages installed. The arguments are those of its
 * `mocha`, or of `node --test` if it has none.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [folder, ...args] = process.argv.slice(2);
if (!folder || !existsSync(join(folder, "package.json"))) {
  console.error("Which project? node scripts/foreign-suites.ts FOLDER [ARGUMENT of mocha or node --test …]");
  process.exit(1);
}

const mocha = "node_modules/mocha/bin/mocha.js";
const isMocha = existsSync(join(folder, mocha));
const server = pathToFileURL(join(import.meta.dirname, "foreign-server.ts")).href;

const [before, after] = [await runSuite(folder), await runSuite(folder, ["--import", server])];
const failing = [...after.failed].filter(([title]) => before.passed.has(title));
const isGroup = (title: string) => [...after.failed.keys()].some((one) => one.startsWith(`${title} `));
const ended = (title: string) => after.passed.has(title) || after.failed.has(title) || isGroup(title);
const missing = [...before.passed].filter((title) => !ended(title));
for (const [title, reason] of failing) console.log(`${title}\n    ${reason}`);
for (const title of missing) console.log(`${title}\n    did not end`);
console.log(`on plain Node ${before.passed.size} pass and ${before.failed.size} fail`);
console.log(
  `with our server ${after.passed.size} pass; ${failing.length} fail and ${missing.length} do not end only there`,
);

interface Outcome {
  passed: Set<string>;
  /** With the first line of their errors. */
  failed: Map<string, string>;
}

async function runSuite(cwd: string, preload: string[] = []): Promise<Outcome> {
  const runner = isMocha
    ? [mocha, "--exit", "--reporter", "json-stream", ...args]
    : ["--test", "--test-force-exit", "--test-reporter=tap", ...args];
  const env = { ...process.env, NODE_OPTIONS: preload.join(" "), NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, runner, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const limit = setTimeout(() => child.kill("SIGKILL"), 600_000);
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  clearTimeout(limit);
  return isMocha ? readMocha(output) : readTap(output);
}

function readMocha(output: string): Outcome {
  const outcome: Outcome = { passed: new Set(), failed: new Map() };
  for (const line of output.split("\n").filter((one) => one.startsWith('["'))) {
    const [kind, { fullTitle, err = "" }] = JSON.parse(line);
    if (kind === "pass") outcome.passed.add(fullTitle);
    if (kind === "fail") outcome.failed.set(fullTitle, err.split("\n")[0]);
  }
  return outcome;
}

function readTap(output: string): Outcome {
  const outcome: Outcome = { passed: new Set(), failed: new Map() };
  const path: string[] = [];
  let failed = "";
  for (const line of output.split("\n")) {
    const [, indent = "", name] = /^( *)# Subtest: (.*)/.exec(line) ?? [];
    if (name !== undefined) path.splice(indent.length / 4, path.length, name);
    const [, result, at = ""] = /^ *(not ok|ok) \d+ - (.*?)(?: # .*)?$/.exec(line) ?? [];
    const title = [...path.slice(0, path.lastIndexOf(at)), at].join(" ");
    if (result) failed = result === "ok" ? "" : title;
    if (result === "ok") outcome.passed.add(title);
    if (result === "not ok") outcome.failed.set(title, "");
    const [, reason] = /^ *error: '?(.*?)'?$/.exec(line) ?? [];
    if (!reason || !failed || outcome.failed.get(failed)) continue;
    // A group fails if a test in it does.
    if (/^\d+ subtests? failed$/.test(reason)) outcome.failed.delete(failed);
    else outcome.failed.set(failed, reason);
  }
  return outcome;
}
