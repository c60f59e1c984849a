import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { parseArgs } from "node:util";
import { frameworks } from "../backend/src/frameworks/names.ts";
import { temporaryFolder } from "../backend/test/support/backend.ts";
import { Postgres } from "../backend/test/support/postgres.ts";
import { Report } from "../backend/test/support/reporter.ts";

const options = { all: { type: "boolean", default: false } } as const;
const { values, positionals: named } = parseArgs({ options, allowPositionals: true });
const framework = process.env["FRAMEWORK"];

/** What takes longest begins first, so that nothing is left to wait for at the end. */
const longest = [
  "tool/test/owner.test.ts",
  "tool/test/publish/kubernetes.test.ts",
  "tool/test/projects.test.ts",
  "tool/test/pack.test.ts",
  "tool/test/contract.test.ts",
  "backend/test/frameworks.test.ts",
  "tool/test/check.test.ts",
];

/** What only a run of the whole matrix does. */
const leftOut = [
  "each generated project's own npm test",
  "older versions of Node",
  "each framework on the other database",
];

await main().catch((error) => {
  console.error(error);
  process.exit(1);
});

async function main(): Promise<void> {
  if (framework !== undefined && !(frameworks as readonly string[]).includes(framework)) {
    console.error(`There is no framework "${framework}". Choose from: ${frameworks.join(", ")}.`);
    process.exit(1);
  }
  const files = named.length > 0 ? named : inOrder(globSync("{backend,tool}/test/**/*.test.ts").filter(isChosen));
  // Backends are started often; with this, Node compiles each of them once.
  process.env["NODE_COMPILE_CACHE"] = temporaryFolder();
  if (values.all) process.env["TEST_ALL"] = "yes";
  else console.log(`Left to npm run test:all: ${leftOut.join(", ")}`);
  const hasPassed = await withPostgres(() => runAll(files));
  // Not by exitCode: the library around PostgreSQL ends a process that is done with 0.
  process.exit(hasPassed ? 0 : 1);
}

/** With FRAMEWORK, only files that have tests for each framework. */
function isChosen(file: string): boolean {
  return framework === undefined || /\b(frameworks|inTurns)\b.* from ".*matrix\.ts"/.test(readFileSync(file, "utf8"));
}

/** The longest first, and last those that need a container engine. */
function inOrder(files: string[]): string[] {
  const rank = (file: string) => {
    if (longest.includes(file)) return longest.indexOf(file);
    return readFileSync(file, "utf8").includes("noEngine") ? longest.length + 1 : longest.length;
  };
  return files.sort().sort((a, b) => rank(a) - rank(b));
}

/** One server for all files, unless there is one already; a file that is run by `node --test` starts its own. */
async function withPostgres<T>(work: () => Promise<T>): Promise<T> {
  if (process.env["TEST_POSTGRES_URL"]) return work();
  const postgres = await Postgres.start();
  process.env["TEST_POSTGRES_URL"] = postgres.url;
  try {
    return await work();
  } finally {
    await postgres.stop();
  }
}

/** Resolves with whether all tests passed. */
async function runAll(files: string[]): Promise<boolean> {
  const report = new Report(files.length);
  const waiting = files.values();
  // Most files wait more than they work.
  const lanes = Array.from({ length: Math.min(availableParallelism() + 2, 8) }, async () => {
    for (const file of waiting)
      for await (const text of report.follow(file, eventsOf(file))) process.stdout.write(text);
  });
  await Promise.all(lanes);
  process.stdout.write(report.closingLine);
  return !report.hasFailures;
}

/** A run of its own for each file: one run of all would hold back what it reports of a file until earlier ones end. */
function eventsOf(file: string) {
  const testNamePatterns = framework === undefined ? [] : [new RegExp(`\\b${framework}\\b`)];
  return run({ files: [file], concurrency: 1, testNamePatterns });
}
