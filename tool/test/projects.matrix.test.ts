import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tokens } from "../../backend/kit/suite/auth/tokens.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newPostgresDatabases } from "../../backend/kit/test/postgres.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { frameworks, isWholeMatrix } from "../../backend/test/support/matrix.ts";
import type { Files } from "../src/new/slice/slice.ts";
import { writeInGroups } from "./groups.ts";
import { type Asked, checked, printTitle, started, testedByThemselves } from "./requests.ts";
import { buildWithoutPackages, project, run, start, writeOut } from "./support.ts";

const newPostgresDatabase = await newPostgresDatabases();

const chosen = checked.filter(({ framework }) => frameworks.some((one) => one === framework));
const groups = writeInGroups(
  chosen.map((request) => ({ request, title: printTitle(request), files: project(request) })),
);

describe("a generated project", { concurrency: 2 }, () => {
  for (const group of groups) {
    const names = new Set(group.projects.map(({ request }) => request.framework));
    test(`is formatted, linted and type-checked: ${[...names].join(", ")}`, async () => {
      await group.biome(...distinctFiles(group.projects));
      await group.tsc();
    });

    for (const { request, title, folder } of group.projects.filter((one) => started.includes(one.request)))
      test(`starts: ${title}`, async () => {
        await buildWithoutPackages(folder);
        await startsAndStops(folder, request);
      });
  }
});

if (isWholeMatrix)
  describe("the tests of a generated project pass", { concurrency: 2 }, () => {
    for (const request of testedByThemselves.filter(({ framework }) => frameworks.some((one) => one === framework)))
      test(printTitle(request), async () => {
        const folder = writeOut(project(request));
        assert.match(await run(folder, "npm", "test"), /^ℹ fail 0$/m);
      });
  });

/** Each file once, if many projects have the same: its format depends on nothing else. */
function distinctFiles(projects: { files: Files; folder: string }[]): Iterable<string> {
  const byContent = new Map<string, string>();
  for (const { files, folder } of projects)
    for (const [path, text] of files) if (path !== "biome.json") byContent.set(path + text, join(folder, path));
  return byContent.values();
}

async function startsAndStops(folder: string, { database }: Asked): Promise<void> {
  const url = await (database === "postgres" ? newPostgresDatabase() : newSqliteFile());
  using backend = await start(folder, { DATABASE_URL: url });
  // On a busy machine a database may take longer than the one second of a health check.
  for (const path of ["/health", "/items"])
    await eventually(async () => {
      const { status } = await fetch(backend.url + path, { headers: { Authorization: `Bearer ${tokens[0]}` } });
      assert.ok(status === 200 || status === 503, `${path}: ${status}`);
      return status === 200;
    }, `${path} to be answered`);
  assert.equal(await backend.stop(), 0);
}
