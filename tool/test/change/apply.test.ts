import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { conflictFault } from "../../src/change/report.ts";
import { doryHere } from "../dory.ts";
import { followReadme } from "../owner/project.ts";
import { run, temporaryFolder } from "../support.ts";
import { Owner } from "./owner.ts";

const koa = { framework: "koa", database: "sqlite" };

/** Everything that a failed change could have touched. */
const readState = (owner: Owner) =>
  run(
    owner.folder,
    "sh",
    "-c",
    "git rev-parse HEAD; git status --porcelain --ignored; find . -path ./.git -prune -o -print | sort; git diff",
  );

/** A file with settings of the user. */
function configure(settings: string): string {
  const path = join(temporaryFolder(), "gitconfig");
  writeFileSync(path, `${readFileSync(process.env["GIT_CONFIG_GLOBAL"] ?? "", "utf8")}${settings}`);
  return path;
}

async function withEnv<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

describe("a change that git cannot make leaves everything as it was", () => {
  const hidden: [what: string, ignored: string, file: string, change: string[]][] = [
    ["a file", "src/orders/", "src/orders/order.ts", ["add", "resource", "orders: note:string"]],
    ["a file where a folder would be", "src/orders", "src/orders", ["add", "resource", "orders: note:string"]],
    ["a migration", "migrations/", "migrations/0001-add-field-qty.sqlite.sql", ["add", "field", "qty:integer"]],
    ["a file of the core", "features/", "src/core/features/auth/auth.ts", ["add", "auth"]],
  ];
  for (const [what, ignored, file, change] of hidden)
    test(`where ${what} that git ignores is in the way`, async () => {
      const owner = await Owner.of(koa);
      const path = join(owner.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "precious\n");
      appendFileSync(join(owner.folder, ".git/info/exclude"), `${ignored}\n`);
      const before = await readState(owner);
      const { code, stderr } = await doryHere(owner.folder, [...change, "--no-install"]);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`git ignores ${file}, and the change has files there\\. Nothing was changed\\.`));
      assert.equal(await readState(owner), before);
      assert.equal(owner.read(file), "precious\n");
    });

  for (const kind of ["a merge", "a conflict"])
    test(`where ${kind} ends in the middle`, async () => {
      const owner = await Owner.of(koa);
      // A filter of the user's fails for a file that the change has.
      await owner.write(".gitattributes", `${owner.read(".gitattributes")}integer.ts filter=broken\n`);
      if (kind === "a conflict") await owner.edit("src/items/item.ts", (text) => text.replace("name:", "title:"));
      const before = await readState(owner);
      const change = ["add", "field", "qty:integer", "--no-install"];
      const broken = configure('[filter "broken"]\n\tsmudge = false\n\trequired = true\n');
      const { code, stderr } = await withEnv({ GIT_CONFIG_GLOBAL: broken }, () => doryHere(owner.folder, change));
      assert.equal(code, 1);
      assert.match(stderr, /git could not merge, so nothing was changed: [\s\S]*smudge filter broken failed/);
      assert.equal(await readState(owner), before);
    });
});

describe("git's own settings", () => {
  test("for merges of a branch do not change what a merge does", async () => {
    const owner = await Owner.of(koa);
    await owner.git("config", "branch.main.mergeOptions", "--squash --no-ff");
    const { code, stderr } = await doryHere(owner.folder, ["add", "auth", "--no-install"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(owner.read("dory.json"), /"auth"/);
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("that hide untracked files do not hide them from a change", async () => {
    const owner = await Owner.of(koa);
    await owner.git("config", "status.showUntrackedFiles", "no");
    writeFileSync(join(owner.folder, "notes"), "mine\n");
    const { stderr } = await doryHere(owner.folder, ["add", "auth", "--no-install"]);
    assert.match(stderr, /Not everything here is committed: notes\./);
  });

  test("without an identity, a conflict is left as one", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("src/items/item.ts", (text) => text.replace("max: 200", "max: 300"));
    const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", HOME: "/nowhere" };
    const change = ["change", "--field", "name:string(1..100)", "--no-install"];
    const { stderr } = await withEnv(env, () => doryHere(owner.folder, change));
    assert.match(stderr, /conflicts with your changes/);
    assert.match(owner.read("src/items/item.ts"), /^<{7} /m);
  });
});

describe("a conflict without marks says what to do", () => {
  test("with a file that the owner changed and Dory no longer makes", async () => {
    const owner = await Owner.of({ ...koa, features: ["cors"] });
    await owner.edit("src/core/features/cors/feature.ts", (text) => `${text}export const mine = 1;\n`);
    const { message } = conflictFault(await owner.remove("cors"));
    assert.match(
      message,
      /^Dory no longer makes (\S+feature\.ts), and you changed it\. To remove it, first: git rm \1$/m,
    );
    assert.doesNotMatch(message, /<{7}|You deleted/);
  });

  test("with a file that git has put beside others that the owner moved", async () => {
    const owner = await Owner.of(koa);
    await owner.git("mv", "src/items", "src/catalog");
    await owner.commit("Move");
    const change = await owner.add("item-routes");
    assert.ok(change.merged.conflict?.paths.includes("src/catalog/by-id.ts"));
    const { message } = conflictFault(change);
    assert.match(message, /^src\/catalog\/by-id\.ts is here because other files of its folder were moved: check/m);
    assert.doesNotMatch(message, /You deleted/);
  });

  test("and none is left if the owner only added a header, of whatever form", async () => {
    const owner = await Owner.of({ ...koa, features: ["cors"] });
    const paths = [...(await owner.files()).keys()].filter((path) => path.startsWith("src/core/features/cors/"));
    for (const path of paths)
      await owner.edit(path, (text) => `/*\nCopyright Our Shop\n  All rights reserved\n*/\n${text}`);
    const change = await owner.remove("cors");
    assert.equal(change.merged.conflict, undefined);
    assert.ok(paths.every((path) => !existsSync(join(owner.folder, path))));
  });
});

for (const framework of ["hono", "nest", "hapi"])
  test(`a resource that was copied by hand merges with what Dory adds later, in ${framework}`, async () => {
    const owner = await Owner.of({ framework, database: "sqlite" });
    await followReadme(owner.folder);
    const document = JSON.parse(owner.read("openapi.json"));
    // As `npm run openapi` describes it.
    document.tags = [...(document.tags ?? []), { name: "orders" }];
    writeFileSync(join(owner.folder, "openapi.json"), `${JSON.stringify(document, null, 2)}\n`);
    await owner.commit("Orders");
    assert.deepEqual((await owner.add("resource", "boats: length:number(0..)")).merged.conflict, undefined);
    assert.deepEqual((await owner.add("webhooks", "github")).merged.conflict, undefined);
    const mounts = owner.read(framework === "nest" ? "src/app-routes.module.ts" : "src/routes.ts");
    for (const name of ["orders", "boats", "webhooks"]) assert.match(mounts, new RegExp(name, "i"));
    assert.deepEqual((await owner.remove("resource", "boats")).merged.conflict, undefined);
    const left = owner.read(framework === "nest" ? "src/app-routes.module.ts" : "src/routes.ts");
    assert.match(left, /orders/i);
    assert.doesNotMatch(left, /boats/i);
    const names = JSON.parse(owner.read("openapi.json")).tags.map(({ name }: { name: string }) => name);
    assert.deepEqual(
      names.toSorted(),
      ["orders", ...names.filter((name: string) => !/boats|orders/.test(name))].toSorted(),
    );
  });

test("of two projects in a repository, none is told about the changes of the other", async () => {
  const owner = await Owner.of(koa);
  const shop = await Owner.of({ framework: "hono", database: "sqlite" });
  await run(
    owner.folder,
    "sh",
    "-c",
    "mkdir one && git mv -k .[a-z]* * one/ 2>/dev/null; git mv one/.git . 2>/dev/null; true",
  );
  await owner.commit("Into a folder");
  await run(owner.folder, "git", "fetch", "-q", shop.folder, "main");
  await run(owner.folder, "git", "read-tree", "--prefix=two/", "-u", "FETCH_HEAD");
  await owner.commit("Another project");
  for (const folder of ["one", "two", "one"]) {
    const feature = { one: "auth", two: "cors" }[folder] ?? "";
    const plan = await doryHere(join(owner.folder, folder), ["add", feature, "--no-install"]);
    assert.doesNotMatch(plan.stdout + plan.stderr, /rebased or squashed/);
  }
});
