import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { repository, temporaryFolder } from "./support.ts";

describe("npm test", { concurrency: 2 }, () => {
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

  test("says once why a suite could not begin, and not for each of its tests", async () => {
    const suite = `describe("suite", () => {
      before(() => { throw new Error("no backend"); });
      for (const name of ["one", "two"]) test(name, () => {});
    });`;
    const { code, stdout } = await runTests(testFile("suite", suite));
    assert.equal(code, 1);
    assert.equal(stdout.match(/^FAILED/gm)?.length, 1, stdout);
    assert.match(stdout, /^FAILED: suite\nno backend\n/m);
  });

  test("ends with 1 when a file cannot be loaded", async () => {
    // With a PostgreSQL of its own: to end that must not change the exit code.
    delete process.env["TEST_POSTGRES_URL"];
    const { code, stdout } = await runTests(testFile("broken", 'throw new Error("broken file");'));
    assert.equal(code, 1);
    assert.match(stdout, /broken file/);
  });
});

function testFile(name: string, text: string): string {
  const file = join(temporaryFolder(), `${name}.test.mjs`);
  const imports = `import { before, describe, test } from "node:test"; import { setTimeout as sleep } from "node:timers/promises";`;
  writeFileSync(file, `${imports}\n${text}`);
  return file;
}

function runTests(...files: string[]): Promise<{ code: unknown; stdout: string }> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const args = [join(repository, "scripts/test.ts"), ...files];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { env, cwd: repository }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    ),
  );
}
