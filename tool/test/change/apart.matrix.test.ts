import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { frameworks, isInThisRun, isOfEachKind, isWholeMatrix } from "../../../backend/test/support/matrix.ts";
import { readBackend } from "../../src/backend.ts";
import type { Change } from "../../src/change/change.ts";
import { filesFor } from "../../src/new/application.ts";
import { appFile } from "../../src/new/slice/slice.ts";
import { dory } from "../dory.ts";
import { describe as describeProject } from "../openapi/describe.ts";
import { addExampleFeature, addExampleRoute, edit } from "../owner/project.ts";
import { buildWithoutPackages, repository, run, sharePackages } from "../support.ts";
import { Owner } from "./owner.ts";

const adds = [
  ["resource", "boats: length:number(0..), itemId:ref(items)"],
  ["webhooks", "github"],
  ["auth"],
  ["field", "price:number?", "sku:string(1..20)? unique"],
  ["item-routes", "cors"],
];
const removals = [["cors"], ["field", "price"], ["auth"], ["webhooks"], ["resource", "boats"], ["item-routes"]];

describe("where the owner writes, Dory does not: nothing conflicts", { concurrency: 2 }, () => {
  for (const framework of frameworks.filter(() => isInThisRun(false)))
    test(`in ${framework}`, async () => {
      const owner = await settledOwner(framework);
      const merge = async (title: string, change: Promise<Change>) =>
        assert.deepEqual((await change).merged.conflict?.paths ?? [], [], title);
      for (const args of adds) await merge(`add ${args.join(" ")}`, owner.add(...args));
      await merge("update", owner.update(newerDory));
      for (const args of removals) await merge(`remove ${args.join(" ")}`, owner.remove(...args));
      await merge("change", owner.to({ database: "sqlite" }));
      const files = await owner.files();
      assert.match(files.get("README.md") ?? "", /^# Our shop\n\nIt sells boats\.\n\n## Start\n/);
      assert.match(files.get(`src/${appFile(framework)}`) ?? "", /^\/\/ Ours\.\n[\s\S]*hello/i);
      const { description, dependencies } = JSON.parse(files.get("package.json") ?? "");
      assert.deepEqual([description, dependencies.rambda, dependencies.zod], ["Boats", "^10.0.0", "^4.0.0"]);
      assert.deepEqual(Object.keys(dependencies), Object.keys(dependencies).sort());
      assert.ok(JSON.parse(files.get("openapi.json") ?? "").paths["/hello/{name}"]);
      assert.match(files.get(".env.example") ?? "", /\nOUR_KEY=\n$/);
    });
});

if (isWholeMatrix)
  describe("after a change, the project of an owner passes its own checks", { concurrency: 2 }, () => {
    for (const framework of frameworks)
      describe(`in ${framework}`, { concurrency: 1 }, () => {
        let owner: Owner;
        before(async () => {
          owner = await settledOwner(framework);
          sharePackages(owner.folder);
        });
        for (const [verb, all] of Object.entries({ add: adds, remove: removals })) {
          for (const args of all) test(`${verb} ${args.join(" ")}`, () => changeBy(owner, verb, ...args));
          // What is left after the removals is nearly what was there at first.
          const skip = verb === "remove" && !isOfEachKind(framework) && "similar in another framework";
          test(
            "its format, lint and types",
            { skip },
            async () => void (await run(owner.folder, "npm", "run", "check")),
          );
          test("its tests", { skip }, async () => assert.match(await run(owner.folder, "npm", "test"), /^ℹ fail 0$/m));
        }
      });
  });

/** Changes a project that uses the packages of this repository: nothing is installed. */
async function changeBy(owner: Owner, ...args: string[]): Promise<void> {
  const npm = `[ "$1" = install ] || exec ${(await run(".", "sh", "-c", "command -v npm")).trim()} "$@"`;
  const { code, stdout, stderr } = await dory(owner.folder, args, { programs: { npm } }).outcome;
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.equal(await owner.git("status", "--porcelain"), "");
}

/** A project whose owner has followed its README, and has edited what owners edit. */
async function settledOwner(framework: string): Promise<Owner> {
  const owner = await Owner.of({ framework });
  const { folder } = owner;
  const change = (path: string, to: (text: string) => string) => edit(join(folder, path), to);
  appendFileSync(join(folder, ".git/info/exclude"), "node_modules\n");
  addExampleRoute(folder);
  addExampleFeature(folder);
  change("README.md", (text) => text.replace(/^[\s\S]*?(?=## )/, "# Our shop\n\nIt sells boats.\n\n"));
  for (const path of (await owner.git("ls-files", "src")).trim().split("\n"))
    change(path, (text) => `// Ours.\n${text}`);
  for (const path of ["README.md", "AGENTS.md"]) change(path, (text) => `${text}\n## Ours\n`);
  change(".env.example", (text) => `${text}OUR_KEY=\n`);
  change("package.json", withPackages);
  sharePackages(folder);
  await run(folder, "biome", "check", "--write", ".");
  if (framework === "nest") await buildWithoutPackages(folder);
  writeFileSync(join(folder, "openapi.json"), (await describeProject(folder)).text);
  await run(folder, "rm", "node_modules");
  await owner.commit("Ours");
  return owner;
}

/** As `npm install` and `npm pkg set` write it. */
function withPackages(text: string): string {
  const { name, version, ...rest } = JSON.parse(text);
  const all = { ...rest.dependencies, rambda: "^10.0.0", zod: "^4.0.0" };
  rest.dependencies = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ name, version, description: "Boats", ...rest }, null, 2)}\n`;
}

/** A Dory that makes other lines in the middle of files. */
const newerDory: Parameters<Owner["update"]>[0] = (request) => {
  const files = filesFor(request, readBackend(repository));
  const changed = (path: string, from: string, to: string) => {
    const text = files.get(path) ?? assert.fail(path);
    assert.ok(text.includes(from), from);
    files.set(
      path,
      text.replace(from, () => to),
    );
  };
  changed("README.md", "`npm run dev` restarts it", "`npm run dev` starts it again");
  changed("src/core/http/server.ts", '"KEEP_ALIVE_MS", "75000"', '"KEEP_ALIVE_MS", "65000"');
  return files;
};
