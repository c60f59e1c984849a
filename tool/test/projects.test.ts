import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { tokens } from "../../backend/test/conformance/auth/tokens.ts";
import { eventually } from "../../backend/test/support/eventually.ts";
import { frameworks, isWholeMatrix } from "../../backend/test/support/matrix.ts";
import { newPostgresDatabases } from "../../backend/test/support/postgres.ts";
import { newSqliteFile } from "../../backend/test/support/sqlite.ts";
import { type Asked, requests, testedByThemselves, titleOf } from "./requests.ts";
import { buildWithoutPackages, project, run, sharePackages, start, temporaryFolder, writeOut } from "./support.ts";

const newPostgresDatabase = await newPostgresDatabases();

describe("a generated project", { concurrency: 3 }, () => {
  for (const framework of frameworks) {
    const parent = temporaryFolder();
    const asked = requests.filter((request) => request.framework === framework);
    const folders = asked.map((request) => writeOut(project(request), join(parent, folderName(request))));

    test(`is formatted, linted and type-checked: ${framework}`, () => checkAll(parent, folders));

    for (const [index, request] of asked.entries())
      test(`starts: ${titleOf(request)}`, async () => {
        const folder = folders[index] ?? "";
        await buildWithoutPackages(folder);
        await startsAndStops(folder, request);
      });
  }
});

if (isWholeMatrix)
  describe("the tests of a generated project pass", { concurrency: 3 }, () => {
    for (const request of testedByThemselves.filter(({ framework }) => frameworks.some((one) => one === framework)))
      test(titleOf(request), async () => {
        const folder = writeOut(project(request));
        await run(folder, "npm", "run", "check");
        assert.match(await run(folder, "npm", "test"), /^ℹ fail 0$/m);
      });
  });

/** Checks projects with the same settings in one go: tools start once, and the types of the packages are read once. */
async function checkAll(parent: string, folders: string[]): Promise<void> {
  const settingOf = (name: string) => {
    const all = new Set(folders.map((folder) => readFileSync(join(folder, name), "utf8")));
    assert.equal(all.size, 1, name);
    return [...all][0] ?? "";
  };
  writeFileSync(join(parent, ".gitignore"), settingOf(".gitignore"));
  writeFileSync(join(parent, "biome.json"), settingOf("biome.json").replaceAll('"src/**"', '"*/src/**"'));
  const types = { ...JSON.parse(settingOf("tsconfig.json")), include: folders };
  writeFileSync(join(parent, "tsconfig.json"), JSON.stringify(types));
  // A configuration within another would be one too many.
  for (const folder of folders) rmSync(join(folder, "biome.json"));
  sharePackages(parent);
  const checked = folders.map((folder) => basename(folder));
  await run(parent, "biome", "check", "--error-on-warnings", ...checked);
  await run(parent, "tsc", "--singleThreaded");
}

function folderName(request: Asked): string {
  return titleOf(request).replaceAll(/\W+/g, "-");
}

async function startsAndStops(folder: string, { database }: Asked): Promise<void> {
  const url = await (database === "postgres" ? newPostgresDatabase() : newSqliteFile());
  using backend = await start(folder, { DATABASE_URL: url });
  // On a busy machine a database may take more than the second that a health check has.
  for (const path of ["/health", "/items"])
    await eventually(async () => {
      const { status } = await fetch(backend.url + path, { headers: { Authorization: `Bearer ${tokens[0]}` } });
      assert.ok(status === 200 || status === 503, `${path}: ${status}`);
      return status === 200;
    }, `${path} to be answered`);
  assert.equal(await backend.stop(), 0);
}
