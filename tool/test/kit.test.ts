import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { kitFile } from "../src/kit.ts";
import { refuseSecrets } from "../src/publish/scan.ts";
import { version } from "../src/version.ts";
import { project, run, writeOut } from "./support.ts";

describe("the tools of a project", () => {
  let folder: string;
  before(() => {
    folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  });

  test("need no network", async () => {
    const allowed = ["--no-warnings", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-child-process"];
    const before = readFileSync(join(folder, "openapi.json"), "utf8");
    for (const command of ["build", "openapi"])
      assert.equal(await run(folder, "node", "--permission", ...allowed, "dory.ts", command), "");
    assert.equal(readFileSync(join(folder, "openapi.json"), "utf8"), before);
  });

  test("end although a timer of the app keeps running, with all that they print", async () => {
    const own = writeOut(project({ framework: "hono", database: "sqlite" }));
    const app = join(own, "src/app.ts");
    const routes = Array.from({ length: 2000 }, (_, at) => `app.get("/own/${at}", (c) => c.text(""));`);
    const added = ["  setInterval(() => {}, 10_000);", ...routes, "  return ("].join("\n");
    writeFileSync(app, readFileSync(app, "utf8").replace("  return (", added));
    const printed = await run(own, "node", "dory.ts", "openapi");
    assert.equal(printed.match(/^GET \/own\/\d+ .*: added\.$/gm)?.length, 2000);
    mkdirSync(join(own, "dist"));
    writeFileSync(join(own, "dist/main.cjs"), "");
    const failing = 'import { test } from "node:test";\ntest("fails", () => { throw new Error("mine"); });\n';
    writeFileSync(join(own, "test/failing.test.ts"), `import "./app.test.ts";\n${failing}`);
    assert.match(await run(own, "node", "dory.ts", "test", "test/app.test.ts"), /is healthy/);
    await assert.rejects(run(own, "node", "dory.ts", "test", "test/failing.test.ts"), /is healthy.*Error: mine/s);
  });

  test("load only what a command needs", async () => {
    const text = readFileSync(join(folder, kitFile), "utf8");
    const imported = [...text.matchAll(/^import .*"(.*)";$/gm)].map(([, name = ""]) => name);
    assert.deepEqual(
      imported.filter((name) => !name.startsWith("node:") || /^node:(test|http|sqlite)$/.test(name)),
      [],
    );
  });

  test("are not formatted, linted or type-checked", async () => {
    await run(folder, "biome", "check", "--error-on-warnings");
    assert.match(await run(folder, "tsc", "--listFilesOnly"), /\/dory\.ts\n/);
    assert.doesNotMatch(await run(folder, "tsc", "--listFilesOnly"), /\.dory\//);
  });

  test("are searched for secrets only if they were changed", async () => {
    const file = join(folder, kitFile);
    const before = readFileSync(file, "utf8");
    const secrets = { API_TOKENS: "first:test-token-one-that-is-visibly-fake" };
    await refuseSecrets(folder, secrets);
    writeFileSync(file, `${before}// Ours.\n`);
    await assert.rejects(refuseSecrets(folder, secrets), /\.dory\/dory-.*\.js:\d+ .*API_TOKENS/);
    writeFileSync(file, before);
  });

  test("name the commands that there are", async () => {
    await assert.rejects(
      run(folder, "node", "dory.ts", "biuld"),
      /\nThere is no command "biuld"\. Use: .* build \| migrate \| openapi \| test\n/,
    );
  });

  for (const [fault, spoil] of [
    ["was changed", (file: string) => appendFileSync(file, "// Ours.\n")],
    ["was changed", (file: string) => writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"))],
    ["was changed", (file: string) => writeFileSync(file, "")],
    ["is missing", (file: string) => rmSync(file)],
    [
      "is missing",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ] as const)
    test(`that each ${fault} are named in one line, with what to do: ${spoil}`, async () => {
      const file = join(folder, kitFile);
      const before = readFileSync(file);
      spoil(file);
      const line = `${kitFile} ${fault}. Restore it: git checkout -- .dory. If it was committed so: npx dory@${version} update`;
      await expectLine(folder, line);
      rmSync(file, { recursive: true, force: true });
      writeFileSync(file, before);
    });

  test("that package.json does not name are reported in one line", async () => {
    const file = join(folder, "package.json");
    const before = readFileSync(file, "utf8");
    const line = 'package.json does not name the tools: "imports": { "#dory": "./.dory/dory-….js" }.';
    for (const imports of [undefined, {}, { "#dory": 5 }, { "#dory": "./src/app.ts" }]) {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(before), imports }));
      await expectLine(folder, line);
    }
    writeFileSync(file, before);
  });
});

/** What a project prints instead of a stack, whatever needs its tools. */
async function expectLine(folder: string, line: string): Promise<void> {
  for (const args of [["dory.ts", "build"], ["dory.ts", "test"], ["test/app.test.ts"]])
    await assert.rejects(run(folder, "node", ...args), ({ message }: Error) => {
      assert.equal(message.split("\n").slice(1).join("\n"), `${line}\n`);
      return true;
    });
}
