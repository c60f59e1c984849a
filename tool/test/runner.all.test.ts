import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { FileRun } from "../../scripts/test-file.ts";
import { repository, temporaryFolder } from "./support.ts";

test("the name of a test file says what it needs", () => {
  const needs: [name: RegExp, code: RegExp][] = [
    [/\.engine\./, /^import \{[^}]*\b(noEngine|swarmWorld)\b/m],
    [
      /\.(matrix|all)\./,
      /^import \{[^}]*\b(isWholeMatrix|isInThisRun|later|earlier|first|in|one|kinds)\w*\b[^}]*\} from ".*\/matrix\.ts"/m,
    ],
  ];
  const wrong = globSync("{backend,tool}/test/**/*.test.ts", { cwd: repository }).filter((file) => {
    const code = readFileSync(join(repository, file), "utf8");
    return needs.some(([name, uses]) => uses.test(code) && !name.test(file));
  });
  assert.deepEqual(wrong, []);
});

describe("npm test", { concurrency: 4 }, () => {
  test("ends with 0 when all tests pass, and prints a line for each file", async () => {
    const files = ["one", "two"].map((name) => testFile(name, 'test("passes", () => {});'));
    const { code, stdout } = await runTests(...files);
    assert.equal(code, 0);
    for (const file of files)
      assert.match(stdout, new RegExp(`^${file}: [\\d.]+ s \\([12] of 2 files, [12] tests passed\\)$`, "m"));
    assert.match(stdout, /^2 passed, 0 failed, 0 skipped\n$/m);
  });

  test("ends with 1 when one fails, and names it though others run at the same time", async () => {
    const { code, stdout } = await runTests(
      testFile(
        "concurrent",
        `describe("outer", { concurrency: 3 }, () => {
          for (const name of ["slow", "wrong", "quick"])
            describe(name, () => test("inner", async () => {
              await sleep(name === "slow" ? 300 : 0);
              if (name === "wrong") throw new Error("this is wrong");
            }));
        });`,
      ),
    );
    assert.equal(code, 1);
    assert.match(stdout, /^FAILED: outer › wrong › inner\nthis is wrong\n/m);
    assert.match(stdout, /^2 passed, 1 failed, 0 skipped\n$/m);
  });

  test("runs several files in one process, and reports the tests of all of them", async () => {
    const name = "globalThis.seen = (globalThis.seen ?? 0) + 1;";
    const files = [
      testFile("first", `${name} test("passes", () => {});`),
      testFile("second", `${name} test("fails", () => { throw new Error(\`\${globalThis.seen} files\`); });`),
      testFile("third", 'test("passes, too", () => {});'),
    ];
    const run = new FileRun(files);
    const ended = new Map<string, string | undefined>();
    for await (const event of run.events()) if (event.type === "end") ended.set(event.name, event.failure?.text);
    assert.equal(run.exitCode, 1);
    assert.deepEqual([...ended.keys()].sort(), ["fails", "passes", "passes, too"]);
    assert.match(ended.get("fails") ?? "", /^2 files\n/);
    const broken = new FileRun([files[0] ?? "", testFile("broken", "this is not JavaScript")]);
    for await (const _ of broken.events());
    assert.equal(broken.exitCode, 1);
  });

  test("with --again, runs a file that failed once more alone, and names it if it passed then", async () => {
    const trace = join(temporaryFolder(), "trace");
    const failsFirst = `if (!existsSync("${trace}")) { writeFileSync("${trace}", ""); throw new Error("busy"); }`;
    const files = [
      testFile("unsteady", `test("passes later", () => { ${failsFirst} }); test("passes", () => {});`),
      testFile("steady", 'test("passes", () => {});'),
    ];
    const { code, stdout } = await runTests("--again", ...files);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^FAILED: passes later\nbusy\n/m);
    assert.match(
      stdout,
      /^UNSTEADY: .*\/unsteady\.test\.mjs failed, and passed alone\n3 passed, 0 failed, 0 skipped\n$/m,
    );
    const wrong = await runTests("--again", testFile("wrong", 'test("fails", () => { throw new Error("wrong"); });'));
    assert.equal(wrong.code, 1);
    assert.equal(wrong.stdout.match(/^FAILED/gm)?.length, 2, wrong.stdout);
    assert.match(wrong.stdout, /^0 passed, 1 failed, 0 skipped\n$/m);
  });

  test("reports once why a suite could not start, not for each of its tests", async () => {
    const suite = `describe("suite", () => {
      before(() => { throw new Error("no backend"); });
      for (const name of ["one", "two"]) test(name, () => {});
    });`;
    const { code, stdout } = await runTests(testFile("suite", suite));
    assert.equal(code, 1);
    assert.equal(stdout.match(/^FAILED/gm)?.length, 1, stdout);
    assert.match(stdout, /^FAILED: suite\nno backend\n/m);
  });

  test("ends with 1 when an error is thrown where no test can catch it", async () => {
    const thrown = 'test("passes", () => { setTimeout(() => { throw new Error("too late"); }, 50); });';
    const { code, stdout } = await runTests(testFile("stray", `${thrown} test("waits", () => sleep(300));`));
    assert.equal(code, 1);
    assert.match(stdout, /^FAILED: .*stray\.test\.mjs\n.*too late/m);
  });

  test("ends a file with all processes that its tests left running", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const file = testFile(
      "leftovers",
      `test("fails", () => { setInterval(() => {}, 1000); ${startSleep(pidFile)} throw new Error("wrong"); });`,
    );
    const { code, stdout } = await runTests(file);
    assert.equal(code, 1);
    assert.match(stdout, /^0 passed, 1 failed, 0 skipped\n$/m);
    await hasEnded(pidFile);
  });

  test("prints what it waits for, and ends a file in which nothing happens for too long", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const block = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
    const body = `${startSleep(pidFile)} await sleep(100); ${block};`;
    const hanging = testFile("hanging", `test("waits for ever", async () => { ${body} });`);
    const { code, stdout } = await runTests("--hang-seconds", "11", hanging, testFile("other", 'test("x", () => {});'));
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`^still running: ${hanging}, 1\\d\\.\\d s, at: waits for ever$`, "m"));
    assert.match(stdout, new RegExp(`^FAILED: ${hanging}\nNothing happened for 11 s, at: waits for ever\\.`, "m"));
    assert.match(stdout, /^1 passed, 1 failed, 0 skipped\n$/m);
    await hasEnded(pidFile);
  });

  test("ends its processes when it is ended", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const waiting = `test("waits", async () => { ${startSleep(pidFile)} await sleep(60_000); });`;
    const { child, outcome } = startTests(testFile("waiting", waiting));
    await eventually(() => existsSync(pidFile), "the test to begin");
    child.kill("SIGTERM");
    assert.equal((await outcome).code, 1);
    await hasEnded(pidFile);
  });

  test("ends with 1 when a file cannot be loaded", async () => {
    // With its own PostgreSQL, whose end must not change the exit code.
    delete process.env["TEST_POSTGRES_URL"];
    const { code, stdout } = await runTests(testFile("broken", 'throw new Error("broken file");'));
    assert.equal(code, 1);
    assert.match(stdout, /broken file/);
  });
});

/** Code that starts a process, and writes its id to a file. */
function startSleep(pidFile: string): string {
  const write = `writeFileSync("${pidFile}.new", String(spawn("sleep", ["60"]).pid));`;
  return `${write} renameSync("${pidFile}.new", "${pidFile}");`;
}

/** The process may still be listed as a zombie, if its new parent has not waited for it yet. */
async function hasEnded(pidFile: string): Promise<void> {
  const pid = readFileSync(pidFile, "utf8");
  const readState = () => spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout;
  await eventually(() => /^(Z|$)/.test(readState()), `process ${pid} to end`);
}

function testFile(name: string, code: string): string {
  const file = join(temporaryFolder(), `${name}.test.mjs`);
  const imports = [
    'import { spawn } from "node:child_process";',
    'import { existsSync, renameSync, writeFileSync } from "node:fs";',
    'import { before, describe, test } from "node:test";',
    'import { setTimeout as sleep } from "node:timers/promises";',
  ];
  writeFileSync(file, [...imports, code].join("\n"));
  return file;
}

function runTests(...args: string[]): Promise<{ code: number | null; stdout: string }> {
  return startTests(...args).outcome;
}

function startTests(...args: string[]) {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, [join(repository, "scripts/test.ts"), ...args], { env, cwd: repository });
  const outcome = Promise.all([text(child.stdout), once(child, "close")]);
  return { child, outcome: outcome.then(([stdout, [code]]) => ({ code: code as number | null, stdout })) };
}
