import assert from "node:assert/strict";
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { commitAll } from "../../src/new/programs.ts";
import { dory } from "../dory.ts";
import { run, temporaryFolder } from "../support.ts";
import { made, Owner } from "./owner.ts";

const koa = { framework: "koa" };

/** A program that leaves a mark when it runs, and copies what it reads. */
class Program {
  readonly path: string;
  readonly #mark: string;

  constructor() {
    const folder = temporaryFolder();
    this.path = join(folder, "program");
    this.#mark = join(folder, "was-run");
    writeFileSync(this.path, `#!/bin/sh\necho "$@" >> '${this.#mark}'\ncat\n`);
    chmodSync(this.path, 0o755);
  }

  get wasRun(): boolean {
    return existsSync(this.#mark);
  }
}

/** What an unpacked archive can have in `.git`; `git` runs the program in one of these commands. */
const attacks: Record<string, { prepare(owner: Owner, program: string): Promise<unknown>; git: string }> = {
  "a hook": {
    prepare: async ({ folder }, program) => {
      mkdirSync(join(folder, ".git/hooks"), { recursive: true });
      for (const hook of ["post-merge", "pre-commit", "reference-transaction", "post-index-change", "post-checkout"])
        writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\n${program} </dev/null\n`, { mode: 0o755 });
    },
    git: "git merge other",
  },
  "core.hooksPath": {
    prepare: async (owner, program) => {
      const hooks = temporaryFolder();
      writeFileSync(join(hooks, "post-merge"), `#!/bin/sh\n${program} </dev/null\n`, { mode: 0o755 });
      await owner.git("config", "core.hooksPath", hooks);
    },
    git: "git merge other",
  },
  "core.fsmonitor": {
    prepare: (owner, program) => owner.git("config", "core.fsmonitor", program),
    git: "git status",
  },
  filters: {
    prepare: async (owner, program) => {
      await writeAttributes(owner, "* filter=evil");
      for (const name of ["clean", "smudge"]) await owner.git("config", `filter.evil.${name}`, program);
    },
    git: "git merge other",
  },
  "a filter whose name a command line cannot hold, in an included file": {
    prepare: async (owner, program) => {
      await writeAttributes(owner, "* filter=a=b");
      const section = `[filter "a=b"]\n\tsmudge = ${program}\n\tclean = ${program}\n\trequired\n`;
      writeFileSync(join(owner.folder, ".git/more"), section);
      appendFileSync(join(owner.folder, ".git/config"), "[include]\n\tpath = more\n");
    },
    git: "git merge other",
  },
  "a merge driver": {
    prepare: async (owner, program) => {
      await writeAttributes(owner, "* merge=evil");
      await owner.git("config", "merge.evil.driver", program);
    },
    git: "git merge other",
  },
  "programs that sign": {
    prepare: async (owner, program) => {
      await owner.git("config", "commit.gpgsign", "true");
      for (const format of ["", ".ssh", ".x509", ".openpgp"])
        await owner.git("config", `gpg${format}.program`, program);
    },
    git: "git commit --allow-empty -m mine",
  },
  "programs that check signatures": {
    prepare: async (owner, program) => {
      await owner.git("config", "merge.verifySignatures", "true");
      await owner.git("config", "log.showSignature", "true");
      await owner.git("config", "gpg.program", program);
      const signed = (await owner.git("cat-file", "commit", "other")).replace(
        /\n\n/,
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n fake\n -----END PGP SIGNATURE-----\n\n",
      );
      writeFileSync(join(owner.folder, ".git/signed"), signed);
      const commit = await owner.git("hash-object", "-t", "commit", "-w", ".git/signed");
      await owner.git("update-ref", "refs/heads/other", commit.trim());
    },
    git: "git merge other",
  },
  "programs that show differences": {
    prepare: async (owner, program) => {
      await writeAttributes(owner, "* diff=evil");
      await owner.git("config", "diff.external", program);
      for (const name of ["command", "textconv"]) await owner.git("config", `diff.evil.${name}`, program);
    },
    git: "git diff HEAD other",
  },
};

async function writeAttributes({ folder }: Owner, text: string): Promise<void> {
  mkdirSync(join(folder, ".git/info"), { recursive: true });
  writeFileSync(join(folder, ".git/info/attributes"), `${text}\n`);
}

/** A project with a change of its owner next to which Dory changes lines, and another branch. */
async function untrusted(): Promise<Owner> {
  const owner = await Owner.of(koa);
  await owner.git("switch", "--quiet", "-c", "other");
  await owner.edit("src/features.ts", (text) => `${text}// Other.\n`);
  await owner.git("switch", "--quiet", "main");
  await owner.edit("src/features.ts", (text) => `// Mine.\n${text}`);
  return owner;
}

async function makeChange(owner: Owner): Promise<void> {
  assert.equal((await owner.add("auth")).merged.conflict, undefined);
  assert.match(owner.read("src/features.ts"), /^\/\/ Mine\.[\s\S]*auth/);
}

async function plan({ folder }: Owner): Promise<void> {
  const { code, stdout, stderr } = await dory(folder, ["add", "auth", "--plan", "--diff"]).outcome;
  assert.equal(code, 0, stdout + stderr);
}

describe("a project that somebody else made runs nothing, with", { concurrency: 2 }, () => {
  for (const [title, { prepare, git }] of Object.entries(attacks))
    test(title, async () => {
      const [owner, plain] = [await untrusted(), await untrusted()];
      const [program, control] = [new Program(), new Program()];
      await prepare(plain, control.path);
      await run(plain.folder, "sh", "-c", `${git} </dev/null`).catch(() => {});
      assert.ok(control.wasRun, "git by itself does not run it here, so this proves nothing");
      await prepare(owner, program.path);
      await (title === "programs that show differences" ? plan : makeChange)(owner).catch((error: Error) => {
        // The user's own program has no key here.
        if (title !== "programs that sign" || !/failed to sign|cannot run gpg/.test(error.message)) throw error;
      });
      assert.ok(!program.wasRun, "it was run");
    });

  test("a bare repository in a folder of a clone", async () => {
    const program = new Program();
    const folder = join(temporaryFolder(), "clone");
    const owner = await Owner.of(koa);
    cpSync(join(owner.folder, ".git"), folder, { recursive: true });
    for (const name of readdirSync(owner.folder))
      if (name !== ".git") cpSync(join(owner.folder, name), join(folder, name), { recursive: true });
    await run(folder, "git", "config", "core.bare", "false");
    await run(folder, "git", "config", "core.worktree", ".");
    await run(folder, "git", "config", "core.fsmonitor", program.path);
    await run(folder, "sh", "-c", "git status </dev/null");
    assert.ok(program.wasRun, "git by itself does not run it here, so this proves nothing");
    const hidden = new Program();
    await run(folder, "git", "config", "core.fsmonitor", hidden.path);
    for (const args of [["add", "auth"], ["update"]]) {
      const { code, stderr } = await dory(folder, args).outcome;
      assert.equal(code, 1);
      assert.match(stderr, /bare repository/);
    }
    assert.ok(!hidden.wasRun);
  });

  test("another folder as its working tree: nothing is written there", async () => {
    const [owner, elsewhere] = [await Owner.of(koa), temporaryFolder()];
    cpSync(owner.folder, join(elsewhere, "project"), { recursive: true });
    const inner = join(elsewhere, "project");
    await run(inner, "git", "config", "core.worktree", elsewhere);
    await assert.rejects(new Owner(inner).add("auth"), /core\.worktree .* names another folder/);
    assert.deepEqual(readdirSync(elsewhere), ["project"]);
  });

  test("another repository as its working tree: nothing is written there either", async () => {
    const [owner, other] = [await Owner.of(koa), await Owner.of({ framework: "express" })];
    const files = (await owner.git("ls-files")).trim().split("\n");
    await owner.git("update-index", "--assume-unchanged", ...files);
    await owner.git("config", "core.worktree", other.folder);
    await owner.git("config", "status.showUntrackedFiles", "no");
    await assert.rejects(owner.add("auth"), /core\.worktree .* names another folder/);
    assert.equal(await other.git("status", "--porcelain"), "");
  });

  test("all commands, in the repository that a new project is put into", async () => {
    const program = new Program();
    const owner = await Owner.of(koa);
    for (const name of ["a hook", "core.fsmonitor", "filters"]) await attacks[name]?.prepare(owner, program.path);
    for (const change of [await owner.to({ database: "sqlite" }), await owner.add("cors"), await owner.remove("cors")])
      assert.equal(change.merged.conflict, undefined);
    assert.deepEqual((await owner.update()).steps, []);
    const inside = join(owner.folder, "inner");
    mkdirSync(inside);
    const lines: string[] = [];
    await commitAll(inside, made(koa), (line) => lines.push(line));
    assert.match(lines.join(), /inside one already/);
    assert.ok(!program.wasRun);
  });
});
