import { globSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../backend/kit/test/backend.ts";
import { Postgres } from "../backend/kit/test/postgres.ts";
import { frameworks } from "../backend/src/frameworks/names.ts";
import { FileRun } from "./test-file.ts";
import { Report } from "./test-report.ts";

/** How long each file, or the small ones of a folder together, took in `npm test` and in `npm run test:all`, in seconds; --record writes it. */
const durationsFile = join(import.meta.dirname, "test-durations.json");

const options = {
  all: { type: "boolean", default: false },
  again: { type: "boolean", default: false },
  record: { type: "boolean", default: false },
  "hang-seconds": { type: "string", default: "300" },
} as const;
const { values, positionals: named } = parseArgs({ options, allowPositionals: true });
const framework = process.env["FRAMEWORK"];
const hangSeconds = Number(values["hang-seconds"]);
const kindOfRun = values.all ? "npm run test:all" : "npm test";
/** The engine works at the same time as a file that uses it. With more of these files at once, tests would time out. */
const mostOnEngine = 2;
/** How many other files could run instead of one of these. */
const engineWeight = 1.5;
/** With --again, so many files that failed are run again, alone. More is not the fault of a busy machine. */
const mostAgain = 5;

/**
 * A file's name says what it needs: `.engine.` a container engine; `.all.` is only for `npm run test:all`; `.matrix.` has some
 * cases for `npm test` and the rest for `npm run test:all`.
 */
const needs = ["all", "engine", "matrix"] as const;

/** Files that took longer have a process of their own, in seconds. Small ones of a folder share one: loading takes most of their time. */
const longestTogether = 12;

/** The runs to end with this process. */
const running = new Set<FileRun>();

/** For projects; here `frameworks.matrix.test.ts` checks the same in every framework. */
const projectTest = "backend/test/contract.test.ts";

/** This one needs a project's loader of decorators: `testing.all.test.ts` runs it there. */
const nestProjectTest = "backend/test/frameworks/nest/app.test.ts";

/** What only `npm run test:all` runs. */
const leftOut = [
  "files named .all.test.ts: packing, the suite, this runner, unusual histories and repositories, examples of the README",
  "the npm test of generated projects, and what their owners change later",
  "older versions of Node",
  "packages that people install with each framework",
  "what owners do, and what projects promise, in most frameworks",
  "each framework on the other database",
  "every combination of features and databases, and the contract of each feature alone and of every two",
  "faults of the core and the store in each framework, and most of what stands beside a bundle",
  "publishing through dory mcp, clients of its older protocol, and commands against a cluster",
  "several services on an engine, repeated builds, what is in an image",
  "a swarm, a cluster if one is named, and what all targets do on a real engine",
];

let wasEnded = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, async () => {
    wasEnded = true;
    await Promise.all([...running].map((run) => run.end()));
    process.exit(1);
  });

// On exit, because the library for PostgreSQL may end this process early, and with another code.
process.once("exit", () => {
  for (const run of running) run.kill("SIGKILL");
  if (wasEnded) process.exitCode = 1;
});

await main().catch((error) => {
  console.error(error);
  process.exit(1);
});

async function main(): Promise<void> {
  if (framework !== undefined && !(frameworks as readonly string[]).includes(framework)) {
    console.error(`There is no framework "${framework}". Choose from: ${frameworks.join(", ")}.`);
    process.exit(1);
  }
  if (!(hangSeconds > 0 && hangSeconds <= 86_400)) {
    console.error("--hang-seconds is a number of seconds, at most 86400.");
    process.exit(1);
  }
  const files =
    named.length > 0
      ? named
      : globSync(["{backend,tool}/test/**/*.test.ts", "backend/kit/test/*.test.ts"]).filter(isChosen).sort();
  process.env["TMPDIR"] = findMemoryFolder() ?? tmpdir();
  // Backends are started often; with this cache, Node compiles each of them once.
  process.env["NODE_COMPILE_CACHE"] = temporaryFolder();
  // For what test files create and others also need.
  process.env["TEST_RUN_FOLDER"] = temporaryFolder();
  if (values.all) process.env["TEST_ALL"] = "yes";
  else console.log(`Left to npm run test:all: ${leftOut.join(", ")}`);
  const areTogether = !values.all && named.length === 0 && framework === undefined;
  const parts = areTogether ? putTogether(files) : files.map((file) => ({ name: file, files: [file] }));
  const hasPassed = await withPostgres(() => runAll(parts));
  // Not with exitCode: the library for PostgreSQL ends the process with 0.
  process.exit(hasPassed ? 0 : 1);
}

/** A file system in memory with enough room for databases and installed projects, and from which programs can run. */
function findMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    const mount = readFileSync("/proc/mounts", "utf8").match(/^\S+ \/dev\/shm tmpfs (\S+)/m)?.[1] ?? "noexec";
    return bavail * bsize > 8e9 && !mount.split(",").includes("noexec") ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}

function isNamed(file: string, need: (typeof needs)[number]): boolean {
  return basename(file).split(".").includes(need, 1);
}

/** With --all, only files with tests that `npm test` leaves out; with FRAMEWORK, only those that are about frameworks. */
function isChosen(file: string): boolean {
  if (file === projectTest) return values.all;
  if (file === nestProjectTest) return false;
  if (isNamed(file, "all") && !values.all) return false;
  if (framework !== undefined) return isOfFramework(file) || isNamed(file, "matrix") || isNamed(file, "all");
  return !values.all || isNamed(file, "all") || isNamed(file, "matrix");
}

/** Whether a file is about the framework that FRAMEWORK names: then all its tests are. */
function isOfFramework(file: string): boolean {
  return file.includes(`/frameworks/${framework}/`);
}

/** Test files that run in one process. */
interface Part {
  name: string;
  files: string[];
}

function readDurations(): Record<string, number> {
  return JSON.parse(readFileSync(durationsFile, "utf8"))[kindOfRun];
}

/** Files that need nothing by their name, and are not known to be long, are one part in each folder. */
function putTogether(files: string[]): Part[] {
  const durations = readDurations();
  const isSmall = (file: string) =>
    !needs.some((need) => isNamed(file, need)) && (durations[file] ?? 0) <= longestTogether;
  const folders = Map.groupBy(files, (file) => (isSmall(file) ? `${dirname(file)}/*.test.ts` : file));
  return [...folders].map(([name, own]) => ({ name: own.length > 1 ? name : (own[0] ?? name), files: own }));
}

/** The longest first, so that the run does not wait for one of them at the end. New ones may be long. */
function sortByDuration(parts: Part[]): Part[] {
  const durations = readDurations();
  const rank = ({ name }: Part) => durations[name] ?? Number.POSITIVE_INFINITY;
  return parts.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
}

function record(durations: Map<string, number>): void {
  const sorted = Object.fromEntries([...durations].sort());
  const others = JSON.parse(readFileSync(durationsFile, "utf8"));
  writeFileSync(durationsFile, `${JSON.stringify({ ...others, [kindOfRun]: sorted }, null, 2)}\n`);
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
async function runAll(parts: Part[]): Promise<boolean> {
  const report = new Report(parts.reduce((sum, { files }) => sum + files.length, 0));
  const waiting = named.length > 0 ? [...parts] : sortByDuration(parts);
  const counts = { engine: 0, others: 0 };
  const chooseKind = ({ name }: Part) => (isNamed(name, "engine") ? "engine" : "others");
  // More than the cores, because most files wait more than they work.
  const most = Math.min(availableParallelism() + 3, 8);
  const fits = (part: Part) =>
    chooseKind(part) === "engine" ? counts.engine < mostOnEngine : counts.others < most - engineWeight * counts.engine;
  const startMore = async (): Promise<void> => {
    const index = waiting.findIndex(fits);
    const [part] = index < 0 ? [] : waiting.splice(index, 1);
    if (part === undefined) return;
    counts[chooseKind(part)] += 1;
    const finished = runPart(part, report).then(() => {
      counts[chooseKind(part)] -= 1;
      return startMore();
    });
    await Promise.all([finished, startMore()]);
  };
  await startMore();
  const failed = values.again ? parts.filter(({ name }) => report.failed.includes(name)) : [];
  if (failed.length <= mostAgain) for (const part of failed) await runPart(part, report);
  report.print(report.closingLine);
  if (values.record) record(report.durations);
  return report.failed.length === 0;
}

/** Each part has its own process: in a single run, Node would report a file only after earlier ones have ended. */
async function runPart({ name, files }: Part, report: Report): Promise<void> {
  const own = report.begin(name, files.length);
  const run = new FileRun(files, isOfFramework(name) ? undefined : framework && `/\\b${framework}\\b/`);
  running.add(run);
  let fault: string | undefined;
  const hung = setTimeout(() => {
    fault = `Nothing happened for ${hangSeconds} s, ${own.at}. The file was ended.`;
    run.end();
  }, hangSeconds * 1000);
  run.onStderr((text) => {
    hung.refresh();
    report.print(text);
  });
  for await (const event of run.events()) {
    hung.refresh();
    report.add(own, event);
  }
  clearTimeout(hung);
  running.delete(run);
  if (!own.isOver) fault ??= `The process ended with ${run.exitCode} before all tests had ended.`;
  if (run.exitCode !== 0 && !own.hasFailure) fault ??= `The process ended with ${run.exitCode}, but no test failed.`;
  report.finish(own, fault);
}
