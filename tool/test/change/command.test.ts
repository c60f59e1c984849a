import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { addToEnv } from "../../src/change/env.ts";
import { findNewerVersion } from "../../src/change/update.ts";
import { dory, doryHere, pathWith } from "../dory.ts";
import { run, temporaryFolder } from "../support.ts";
import { made, Owner } from "./owner.ts";

const koa = { framework: "koa" };
const git = (await run(".", "sh", "-c", "command -v git")).trim();

/** A git that runs a script before commands that match. */
const gitThat = (pattern: string, action: string) => `case "$*" in *${pattern}*) ${action};; esac\nexec ${git} "$@"`;

/** An npm that makes a lock file. */
const npm = "echo '{}' > package-lock.json";

describe("dory add", () => {
  test("merges, sets what npm start needs, and prints how to undo it", async () => {
    const owner = await Owner.of(koa);
    const before = (await owner.git("rev-parse", "--short=9", "HEAD")).trim();
    const { code, stdout, stderr } = await dory(owner.folder, ["add", "auth"]).outcome;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, new RegExp(`^Add auth: merged into main\\. To undo it: git reset --hard ${before}$`, "m"));
    assert.match(stdout, /^\.env now has API_TOKENS/m);
    assert.match(owner.read(".env"), /^API_TOKENS=[\da-f]{64}\n$/);
    assert.equal(statSync(join(owner.folder, ".env")).mode & 0o777, 0o600);
    assert.ok(!stdout.includes(owner.read(".env").slice(-20).trim()));
    assert.deepEqual(await owner.files(), new Map([...made({ ...koa, features: ["auth"] })].sort()));
  });

  test("plans, with the migration that a database in use needs, and changes nothing, not even git's database", async () => {
    const owner = await Owner.of(koa);
    const state = () =>
      run(owner.folder, "sh", "-c", "git status --porcelain; git rev-parse HEAD; find .git -type f | sort");
    const before = await state();
    const clean = await doryHere(owner.folder, ["add", "field", "price:number", "--plan", "--diff"]);
    assert.equal(clean.code, 0, clean.stderr);
    assert.match(clean.stdout, /^\+ {2}price: number\(\),$[\s\S]*^Add field price: merges with/m);
    assert.match(
      clean.stdout,
      /need this migration\. .*:\n {2}migrations\/0001-add-field-price\.sqlite\.sql\n {2}migrations\/0001-add-field-price\.postgres\.sql\n/,
    );
    assert.match(clean.stdout, /^\+ALTER TABLE "items" ADD COLUMN "price" numeric NOT NULL/m);
    assert.match(clean.stdout, /^\+ALTER TABLE "items" ADD COLUMN "price" double precision NOT NULL/m);
    assert.equal(await state(), before);
    await owner.edit("dory.json", (text) => text.replace('"both",\n', '"both",\n  "features": [],\n'));
    writeFileSync(join(owner.folder, "notes"), "not committed\n");
    const conflicting = await doryHere(owner.folder, ["add", "auth", "--plan"]);
    assert.equal(conflicting.code, 1);
    assert.match(
      conflicting.stdout,
      /\d+ files changed[\s\S]*^Add auth: conflicts with your changes, in:\n {2}dory\.json$/m,
    );
  });

  test("writes a migration with each change that needs one, beside what Dory makes", async () => {
    const owner = await Owner.of({ ...koa, database: "sqlite" });
    const change = async (...args: string[]) => {
      const { code, stderr } = await doryHere(owner.folder, [...args, "--no-install"]);
      assert.deepEqual([code, stderr], [0, ""]);
    };
    await change("add", "field", "price:number");
    await change("add", "field", "note:string?");
    await change("remove", "field", "price");
    const files = await owner.files();
    const own = [...files.keys()].filter((path) => path.startsWith("migrations/"));
    assert.deepEqual(own, [
      "migrations/0001-add-field-price.sqlite.sql",
      "migrations/0002-remove-field-price.sqlite.sql",
    ]);
    assert.match(owner.read(own[1] ?? ""), /^-- ALTER TABLE "items" DROP COLUMN "price";$/m);
    for (const path of own) files.delete(path);
    const fields = ["name:string(1..200)", "note:string?"];
    assert.deepEqual(files, new Map([...made({ ...koa, database: "sqlite", fields })].sort()));
  });

  test("sets aside the column that a removed field left, unless it was dropped", async () => {
    const owner = await Owner.of({ ...koa, database: "sqlite" });
    const change = async (...args: string[]) => {
      const { code, stderr } = await doryHere(owner.folder, [...args, "--no-install"]);
      assert.deepEqual([code, stderr], [0, ""]);
    };
    const files = ["add", "remove", "add", "remove", "add"].map((verb, index) => ({ verb, number: `000${index + 1}` }));
    const read = (number: string, verb: string) => owner.read(`migrations/${number}-${verb}-field-price.sqlite.sql`);
    const drop = 'ALTER TABLE "items" DROP COLUMN "price";';
    for (const { verb, number } of files) {
      await change(verb, "field", verb === "add" ? "price:number" : "price");
      if (number === "0004")
        await owner.edit(`migrations/0004-remove-field-price.sqlite.sql`, (text) => text.replace(`-- ${drop}`, drop));
    }
    const renames = ["0001", "0003", "0005"].map((number) => /RENAME COLUMN .*/.exec(read(number, "add"))?.[0]);
    assert.deepEqual(renames, [undefined, 'RENAME COLUMN "price" TO "price_before_0003";', undefined]);
  });

  test("writes a file of its own for what PostgreSQL does in parts", async () => {
    const owner = await Owner.of({ ...koa, fields: ["name:string", "count:integer?"] });
    const { code, stderr } = await doryHere(owner.folder, ["change", "--field", "count:integer", "--no-install"]);
    assert.deepEqual([code, stderr], [0, ""]);
    const read = (file: string) => owner.read(`migrations/${file}.sql`);
    assert.match(read("0001-change-field-count.postgres"), /^-- no transaction\n(-- .*\n)+DO /);
    assert.match(read("0001-change-field-count.sqlite"), /^(-- .*\n)+$/);
    for (const database of ["postgres", "sqlite"])
      assert.match(read(`0002-change-field-count.${database}`), /^UPDATE "items" SET /m);
    assert.match(
      read("0002-change-field-count.postgres"),
      /^LOCK TABLE "items" IN SHARE ROW EXCLUSIVE MODE;\nUPDATE /m,
    );
  });

  test("leaves the migration with a conflict, ready to be committed", async () => {
    const owner = await Owner.of({ ...koa, database: "sqlite" });
    await owner.edit("src/items/item.ts", (text) => text.replace("name: string", "title: string"));
    const { code } = await doryHere(owner.folder, ["add", "field", "price:number", "--no-install"]);
    assert.equal(code, 1);
    const status = await run(owner.folder, "git", "status", "--porcelain");
    assert.match(status, /^A {2}migrations\/0001-add-field-price\.sqlite\.sql$/m);
    assert.match(status, /^UU src\/items\/item\.ts$/m);
  });

  test("adds to .env only what it does not set", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, ".env"), "export CORS_ORIGINS=https://example.com\nPORT=4000");
    assert.deepEqual(addToEnv(folder, "API_TOKENS=fake\nCORS_ORIGINS=other\n"), ["API_TOKENS"]);
    const text = readFileSync(join(folder, ".env"), "utf8");
    assert.equal(text, "export CORS_ORIGINS=https://example.com\nPORT=4000\nAPI_TOKENS=fake\n");
  });

  test("adds nothing to .env that another file has", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, ".env"), "API_TOKENS_FILE=/run/secrets/tokens\n");
    assert.deepEqual(addToEnv(folder, "API_TOKENS=fake\nCORS_ORIGINS="), ["CORS_ORIGINS"]);
  });

  test("refuses a .env that is no file, and changes nothing", async () => {
    const owner = await Owner.of(koa);
    mkdirSync(join(owner.folder, ".env"));
    const { code, stdout, stderr } = await doryHere(owner.folder, ["add", "auth", "--no-install"]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^\.env cannot be read and written here, and API_TOKENS would be added to it\./);
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("writes no secret where git would commit it", async () => {
    const owner = await Owner.of(koa);
    await owner.edit(".gitignore", (text) => text.replace(/^\.env\n/m, ""));
    const { code, stdout } = await doryHere(owner.folder, ["add", "auth", "--no-install"]);
    assert.equal(code, 0);
    assert.match(stdout, /^\.env is not in \.gitignore\. Add it there, then add API_TOKENS to it/m);
    assert.ok(!existsSync(join(owner.folder, ".env")));
  });

  test("refuses a .env that is a link, and changes nothing", async () => {
    const owner = await Owner.of(koa);
    const elsewhere = join(temporaryFolder(), "profile");
    writeFileSync(elsewhere, "");
    symlinkSync(elsewhere, join(owner.folder, ".env"));
    const head = await owner.git("rev-parse", "HEAD");
    const { code, stderr } = await doryHere(owner.folder, ["add", "auth"]);
    assert.equal(code, 1);
    assert.match(stderr, /^\.env is a symbolic link, .*\(env_link\)\n$/);
    assert.deepEqual([readFileSync(elsewhere, "utf8"), await owner.git("rev-parse", "HEAD")], ["", head]);
    assert.equal((await doryHere(owner.folder, ["add", "item-routes", "--no-install"])).code, 0);
  });

  test("explains a conflict and leaves it in git's form", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("dory.json", (text) => text.replace('"both",\n', '"both",\n  "features": [],\n'));
    const { code, stderr } = await doryHere(owner.folder, ["add", "auth"]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /in:\n {2}dory\.json\nChoose .*\nThen: git add -A && git commit[\s\S]*git merge --abort \(conflict\)/,
    );
    assert.match(owner.read("dory.json"), /^<<<<<<< /m);
  });

  test("says how to resolve a conflict in a file that a command makes", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("openapi.json", (text) =>
      text.replace('"responses": {', '"security": [{}],\n        "responses": {'),
    );
    const { stderr } = await doryHere(owner.folder, ["add", "auth"]);
    assert.match(stderr, /^For openapi\.json, keep your side .* npm run openapi/m);
  });

  test("refuses uncommitted changes, and lists them", async () => {
    const owner = await Owner.of(koa);
    writeFileSync(join(owner.folder, "src/app.ts"), "// Mine.\n");
    writeFileSync(join(owner.folder, "notes"), "Mine.\n");
    const { code, stderr } = await doryHere(owner.folder, ["add", "auth"]);
    assert.equal(code, 1);
    assert.match(stderr, /^Not everything here is committed: src\/app\.ts, notes\. .*git stash -u\. \(unclean\)\n$/);
    assert.equal(owner.read("src/app.ts"), "// Mine.\n");
  });

  test("refuses a git that is too old", async () => {
    const owner = await Owner.of(koa);
    const programs = { git: "echo git version 2.37.9" };
    const { stderr } = await doryHere(owner.folder, ["add", "auth"], { programs });
    assert.match(stderr, /^git version 2\.37\.9 is too old: git 2\.38 or later is needed\. \(old_git\)\n$/);
  });

  test("signs the commits of an owner who signs", async () => {
    const owner = await Owner.of(koa);
    const signer = join(temporaryFolder(), "sign");
    writeFileSync(
      signer,
      "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n",
    );
    chmodSync(signer, 0o755);
    await owner.git("config", "commit.gpgsign", "true");
    await owner.git("config", "--global", "gpg.program", signer);
    try {
      await owner.add("auth");
    } finally {
      await owner.git("config", "--global", "--unset", "gpg.program");
    }
    for (const commit of ["HEAD", "HEAD^2"]) assert.match(await owner.git("cat-file", "commit", commit), /^gpgsig /m);
  });
});

describe("npm, after a change of packages,", () => {
  const args = ["change", "--framework", "hono"];

  test("makes the lock file again, which is committed", async () => {
    const owner = await Owner.of(koa);
    await owner.write("package-lock.json", '{"old":true}\n');
    const { code, stderr } = await doryHere(owner.folder, args, { programs: { npm } });
    assert.equal(code, 0, stderr);
    assert.equal(await owner.git("show", "HEAD:package-lock.json"), "{}\n");
    assert.deepEqual((await owner.git("log", "--first-parent", "-2", "--format=%s")).split("\n").slice(0, 2), [
      "Lock packages",
      "Change framework to hono",
    ]);
    assert.deepEqual((await owner.add("auth")).merged.conflict, undefined);
  });

  test("may fail: the merge stays, and the message says what to run", async () => {
    const owner = await Owner.of(koa);
    const programs = { npm: "echo no such registry >&2; exit 1" };
    const { code, stderr } = await doryHere(owner.folder, args, { programs });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /merged into main, but npm install failed:\nno such registry\nRun npm install, .*\(npm_install\)/,
    );
    assert.equal(JSON.parse(owner.read("dory.json")).framework, "hono");
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("may be interrupted: the message names the branch", async () => {
    const owner = await Owner.of(koa);
    const programs = { npm: "kill -INT $PPID; exec sleep 5" };
    const { code, stderr } = await dory(owner.folder, args, { programs }).outcome;
    assert.equal(code, 130);
    assert.match(stderr, /Interrupted\. "Change framework to hono" is merged into main: run npm install/);
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("makes that of the workspace again, where the project is in one", async () => {
    const owner = await Owner.of(koa);
    const workspace = "mkdir -p apps/api && git ls-files | sed 's|/.*||' | sort -u | xargs -I{} git mv {} apps/api/";
    await run(owner.folder, "sh", "-c", workspace);
    await owner.write("package.json", '{ "workspaces": ["apps/*"] }\n');
    await owner.write("package-lock.json", "{}\n");
    await owner.git("rm", "-q", "--cached", "--ignore-unmatch", "apps/api/package-lock.json");
    const programs = { npm: "echo '{ \"new\": true }' > ../../package-lock.json" };
    const { code, stdout, stderr } = await doryHere(join(owner.folder, "apps/api"), ["change", "--framework", "hono"], {
      programs,
    });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /package-lock\.json is updated by npm, and committed/);
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("is not run where it is not wanted or not needed", async () => {
    const owner = await Owner.of(koa);
    const programs = { npm: "touch npm-was-run" };
    const { stdout } = await doryHere(owner.folder, [...args, "--no-install"], { programs });
    assert.match(stdout, /^package\.json changed\. Run npm install/m);
    const again = await doryHere(owner.folder, ["update"], { programs });
    assert.deepEqual([again.code, again.stdout.split(":")[0]], [0, "Nothing to change"]);
    assert.ok(!existsSync(join(owner.folder, "npm-was-run")));
  });
});

describe("npm run openapi, after a merge into a project with routes of its owner,", () => {
  const owned = async () => {
    const owner = await Owner.of(koa);
    await owner.edit("openapi.json", (text) => text.replace('"paths": {', '"paths": {\n    "/mine": {},'));
    mkdirSync(join(owner.folder, "node_modules"));
    return owner;
  };

  test("describes them again, which is committed", async () => {
    const owner = await owned();
    const programs = { npm: "[ $1 = run ] && echo '{}' > openapi.json" };
    const { code, stdout, stderr } = await doryHere(owner.folder, ["add", "auth"], { programs });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^openapi\.json is updated by npm run openapi, and committed\.$/m);
    assert.equal(await owner.git("show", "HEAD:openapi.json"), "{}\n");
    assert.equal(await owner.git("status", "--porcelain"), "");
  });

  test("may fail, or not be wanted: the merge stays, and the message says what to run", async () => {
    const [failing, unwanted] = [await owned(), await owned()];
    const programs = { npm: "echo src/mine.ts does not compile >&2; exit 1" };
    const { code, stderr } = await doryHere(failing.folder, ["add", "auth"], { programs });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /npm run openapi failed:\nsrc\/mine\.ts .*\nFix this\. Run npm run openapi, .*\(npm_openapi\)/,
    );
    const { stdout } = await doryHere(unwanted.folder, ["add", "auth", "--no-install"], { programs });
    assert.match(stdout, /^openapi\.json may not have .*\. Run npm run openapi, then git commit /m);
  });

  test("is ended, with what it started, if it does not end", async (context) => {
    const owner = await owned();
    const started = join(temporaryFolder(), "started");
    const programs = { npm: `[ $1 = run ] || exit 0; sleep 600 & touch ${started}; wait` };
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const adding = doryHere(owner.folder, ["add", "auth"], { programs });
    while (!existsSync(started)) await setImmediate();
    context.mock.timers.tick(3_600_000);
    const { code, stderr } = await adding;
    assert.equal(code, 1);
    assert.match(stderr, /npm run openapi failed:\nIt was ended because it took more than \d+ seconds\.\nFix this\./);
  });
});

describe("dory, ended at any moment, leaves the project unchanged or completely changed:", () => {
  const moments: [title: string, pattern: string, action: string, isMerged: boolean][] = [
    ["killed before the pristine commit", "commit-tree", "kill -9 $PPID", false],
    ["killed while the branch moves", "--ff-only", "kill -9 $PPID", true],
    ["Ctrl-C before the merge is planned", "merge-tree", "kill -INT $PPID; sleep 1", false],
    ["Ctrl-C while the branch moves", "--ff-only", "kill -INT $PPID; sleep 1", true],
  ];
  for (const [title, pattern, action, isMerged] of moments)
    test(title, async () => {
      const owner = await Owner.of(koa);
      const head = await owner.git("rev-parse", "HEAD");
      const programs = { git: gitThat(pattern, action) };
      const { code, stderr } = await dory(owner.folder, ["add", "auth"], { programs }).outcome;
      if (title.startsWith("Ctrl-C")) {
        assert.equal(code, 130);
        assert.match(stderr, isMerged ? /"Add auth" is merged into main/ : /Nothing was changed/);
      }
      const expected = isMerged ? made({ ...koa, features: ["auth"] }) : made(koa);
      while (isMerged && (await owner.git("rev-parse", "HEAD")) === head);
      assert.deepEqual(await owner.files(), new Map([...expected].sort()));
    });
});

describe("dory update", () => {
  const answers: [npm: string, version: string | undefined | RegExp][] = [
    ["echo 9.8.7", "9.8.7"],
    // A folder's own .npmrc could name any registry.
    ['[ "$PWD" = "$HOME" ] && echo 9.8.7', "9.8.7"],
    ["echo 9.8.7; echo more", /did not return/],
    ["echo 9.8.7-beta.1", "9.8.7-beta.1"],
    ["echo 0.1.0", undefined],
    ["echo 'npm error code E404' >&2; exit 1", /has no release of Dory/],
    ["echo 'npm error ENOTFOUND' >&2; exit 1", /did not return .*ENOTFOUND/],
  ];
  for (const [npm, version] of answers)
    test(`--check asks npm: ${npm}`, async () => {
      const path = process.env["PATH"];
      process.env["PATH"] = pathWith({ npm });
      const answer = findNewerVersion().finally(() => (process.env["PATH"] = path));
      if (version instanceof RegExp) await assert.rejects(answer, version);
      else assert.equal(await answer, version);
    });
});
