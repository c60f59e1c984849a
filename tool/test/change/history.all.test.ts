import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Request } from "../../src/new/request.ts";
import type { Files } from "../../src/new/slice/slice.ts";
import { hashFiles } from "../../src/new/trailer.ts";
import { writeFiles } from "../../src/new/write.ts";
import { run, temporaryFolder } from "../support.ts";
import { made, Owner } from "./owner.ts";

const koa = { framework: "koa" };

describe("clones", () => {
  test("that each add something and merge are joined, with both", async () => {
    const one = await Owner.of({ framework: "hono" });
    const other = await one.clone();
    await one.edit("README.md", (text) => `${text}\nOne.\n`);
    await one.add("cors");
    await other.add("field", "price:number?");
    await one.git("pull", "--quiet", "--no-rebase", "--no-edit", other.folder);
    const change = await one.add("auth");
    assert.match(change.notes.join(), /separate changes/);
    const fields = ["name:string(1..200)", "price:number?"];
    const expected = made({ framework: "hono", features: ["auth", "cors"], fields });
    await one.has(change, new Map([...expected, ["README.md", `${expected.get("README.md")}\nOne.\n`]]));
    assert.deepEqual((await one.update()).steps, []);
  });

  test("that conflict in dory.json keep both requests, however it was resolved", async () => {
    const one = await Owner.of(koa);
    const other = await one.clone();
    await one.add("auth");
    await other.add("cors");
    await assert.rejects(one.git("pull", "--quiet", "--no-rebase", "--no-edit", other.folder), /dory\.json/);
    await one.git("checkout", "--ours", ".");
    await one.commit("Resolved, carelessly");
    const { after, merged } = await one.add("webhooks", "github");
    assert.deepEqual((after as Request).features, ["auth", "cors", "webhooks"]);
    assert.equal(merged.conflict?.isLast ?? true, merged.conflict === undefined);
  });

  test("that make the same change are one", async () => {
    const one = await Owner.of(koa);
    const other = await one.clone();
    await other.git("config", "user.name", "Another");
    for (const owner of [one, other]) await owner.add("auth");
    await one.git("pull", "--quiet", "--no-rebase", "--no-edit", other.folder);
    await one.has(await one.remove("auth"), made(koa));
  });

  test("with a part of the history report how to get the rest", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("README.md", (text) => `${text}\n`);
    const folder = join(temporaryFolder(), "shallow");
    await run(owner.folder, "git", "clone", "--quiet", "--depth=1", `file://${owner.folder}`, folder);
    await assert.rejects(new Owner(folder).add("auth"), /git fetch --unshallow/);
  });
});

describe("a history that was rewritten", () => {
  test("by a rebase: the change keeps its place", async () => {
    const owner = await Owner.of(koa);
    const upstream = await owner.clone();
    await upstream.edit("src/app.ts", (text) => `${text}// Upstream.\n`);
    await owner.edit("README.md", (text) => `${text}\nMine.\n`);
    await owner.add("auth");
    await owner.git("pull", "--quiet", "--rebase", upstream.folder, "main");
    assert.equal((await owner.git("rev-list", "--merges", "HEAD")).trim(), "");
    await owner.edit("src/core/features/auth/auth.ts", (text) => `${text}export const mine = 1;\n`);
    assert.equal((await owner.add("cors")).merged.conflict, undefined);
    await owner
      .remove("auth", "cors")
      .then(({ merged }) => assert.deepEqual(merged.conflict?.paths, ["src/core/features/auth/auth.ts"]));
  });

  test("by a squash, with or without its message", async () => {
    for (const message of [["-m", "Squashed"], ["--no-edit"]]) {
      const owner = await Owner.of({ framework: "elysia" });
      await owner.git("switch", "--quiet", "-c", "change");
      await owner.add("auth");
      await owner.git("switch", "--quiet", "main");
      await owner.edit("src/app.ts", (text) => `${text}// Main.\n`);
      await owner.git("merge", "--quiet", "--squash", "change");
      await owner.git("commit", "--quiet", ...message);
      const change = await owner.remove("auth");
      const expected = made({ framework: "elysia" });
      await owner.has(change, new Map([...expected, ["src/app.ts", `${expected.get("src/app.ts")}// Main.\n`]]));
    }
  });

  test("by hand, only in dory.json, is not counted as a change", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("dory.json", (text) => text.replace('"koa"', '"fastify"'));
    const { before, merged } = await owner.add("field", "price:number?");
    assert.equal((before as Request).framework, "koa");
    assert.equal(merged.conflict, undefined);
    assert.match(owner.read("package.json"), /"koa"/);
  });
});

describe("a project without a pristine commit", () => {
  /** Commits the files by hand. */
  async function byHand(files: Files, folder = temporaryFolder(), form = "sha1"): Promise<Owner> {
    writeFiles(folder, files);
    await run(folder, "git", "init", "-q", "-b", "main", `--object-format=${form}`);
    const owner = new Owner(folder);
    await owner.commit("First commit");
    return owner;
  }

  test("is recognised by its first commit, with any object format of git", async () => {
    const owner = await byHand(made(koa), temporaryFolder(), "sha256");
    await owner.has(await owner.add("auth"), made({ ...koa, features: ["auth"] }));
    assert.equal((await owner.git("rev-list", "--max-parents=0", "HEAD")).trim().split("\n").length, 1);
  });

  test("is recorded as dory.json says, and what the owner changed stays", async () => {
    const files = new Map(made(koa));
    files.set("src/app.ts", `${files.get("src/app.ts")}// Mine.\n`);
    const owner = await byHand(files);
    const change = await owner.add("auth");
    assert.match(change.notes.join(), /No commit in this history was made by Dory/);
    const expected = new Map(made({ ...koa, features: ["auth"] }));
    await owner.has(change, expected.set("src/app.ts", `${expected.get("src/app.ts")}// Mine.\n`));
    await owner.has(await owner.remove("auth"), files);
  });

  test("in a folder of a repository is changed only there, next to another project", async () => {
    const folder = temporaryFolder();
    const files: Files = new Map([["README.md", "Both\n"]]);
    for (const [path, text] of made(koa)) files.set(`api/${path}`, text);
    for (const [path, text] of made({ framework: "hapi" })) files.set(`jobs/${path}`, text);
    const all = await byHand(files, folder);
    for (const name of ["api", "jobs"]) await new Owner(join(folder, name)).add("auth");
    await new Owner(join(folder, "api")).add("cors");
    const expected: Files = new Map([["README.md", "Both\n"]]);
    for (const [path, text] of made({ ...koa, features: ["auth", "cors"] })) expected.set(`api/${path}`, text);
    for (const [path, text] of made({ framework: "hapi", features: ["auth"] })) expected.set(`jobs/${path}`, text);
    assert.deepEqual(new Map([...(await all.files())].sort()), new Map([...expected].sort()));
  });

  test("and of another version reports which version records it", async () => {
    const files = new Map(made(koa));
    files.set("dory.json", files.get("dory.json")?.replace("0.1.0", "0.0.9") ?? "");
    const owner = await byHand(files);
    await assert.rejects(owner.add("auth"), /npx dory@0\.0\.9 update once/);
    await owner.edit("dory.json", (text) => text.replace("0.0.9", "0.0.9; reboot"));
    await assert.rejects(owner.add("auth"), /is not a version/);
  });

  test("without git, without a commit or a branch, or elsewhere, says what to do", async () => {
    const owner = await Owner.of(koa);
    await owner.git("switch", "--quiet", "--detach");
    await assert.rejects(owner.add("auth"), /git switch BRANCH/);
    rmSync(join(owner.folder, ".git"), { recursive: true });
    await assert.rejects(owner.add("auth"), /not in a git repository\. .*git init && git add -A && git commit/);
    await run(owner.folder, "git", "init", "-q");
    await assert.rejects(owner.add("auth"), /no commit yet/);
    const elsewhere = await byHand(new Map([["notes", "Mine.\n"]]));
    await assert.rejects(elsewhere.add("auth"), /no project|dory\.json in this folder/);
  });
});

describe("a project of another version", () => {
  /** Another version differs in a line, a file, and its number. */
  async function ofVersion(version: string): Promise<Owner> {
    const files = new Map(made(koa));
    files.set("dory.json", files.get("dory.json")?.replace("0.1.0", version) ?? "");
    files.set("src/core/log.ts", `// An older line.\n${files.get("src/core/log.ts")}`);
    files.set("src/old.ts", "export {};\n");
    const owner = await Owner.ofFiles(files);
    await owner.git("commit", "--quiet", "--amend", "-m", `First commit\n\nDory: ${version} ${hashFiles(files)}`);
    return owner;
  }

  test("is updated by dory update, with the owner's changes", async () => {
    const owner = await ofVersion("0.0.9");
    await owner.edit("src/core/log.ts", (text) => `${text}// Mine.\n`);
    await assert.rejects(owner.add("auth"), /made by Dory 0\.0\.9, and this is 0\.1\.0\. Run dory update first/);
    const expected = new Map(made(koa));
    await owner.has(
      await owner.update(),
      expected.set("src/core/log.ts", `${expected.get("src/core/log.ts")}// Mine.\n`),
    );
    assert.equal(JSON.parse(owner.read("dory.json")).dory, "0.1.0");
  });

  test("that was updated in a squashed branch needs no other update", async () => {
    const owner = await ofVersion("0.0.9");
    await owner.git("switch", "--quiet", "-c", "change");
    await owner.update();
    await owner.git("switch", "--quiet", "main");
    await owner.git("merge", "--quiet", "--squash", "change");
    await owner.git("commit", "--quiet", "-m", "Squashed");
    await owner.has(await owner.add("auth"), made({ ...koa, features: ["auth"] }));
  });

  test("is updated even if the version is the same but the files differ", async () => {
    const owner = await Owner.of(koa);
    const newer = new Map(made(koa));
    await owner.update(() => newer.set("src/core/log.ts", `${made(koa).get("src/core/log.ts")}// Newer.\n`));
    assert.match(owner.read("src/core/log.ts"), /\/\/ Newer\.\n$/);
  });

  test("is not downgraded by an older one", async () => {
    const owner = await ofVersion("9.0.0");
    await assert.rejects(owner.update(), /newer than this one .*npx dory@9\.0\.0/);
  });
});
