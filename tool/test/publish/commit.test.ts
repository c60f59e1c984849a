import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createGit } from "../../src/git.ts";
import { readCommit } from "../../src/publish/commit.ts";
import { temporaryFolder } from "../support.ts";

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function repository(): string {
  const folder = temporaryFolder();
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "First");
  return folder;
}

/** A program that writes a file when it runs. */
function program(folder: string): { path: string; wasRun(): boolean } {
  const [path, mark] = [join(folder, ".git/program"), join(folder, ".git/was-run")];
  writeFileSync(path, `#!/bin/sh\ntouch '${mark}'\n`);
  chmodSync(path, 0o755);
  return { path, wasRun: () => existsSync(mark) };
}

/** Git reads the content only if the file looks changed. */
const touch = (folder: string) => utimesSync(join(folder, "a.txt"), 1, 1);

/** Attacks by an untrusted repository: each makes git run the program. */
const attacks: Record<string, (folder: string, path: string) => void> = {
  "core.fsmonitor": (folder, path) => void git(folder, "config", "core.fsmonitor", path),
  "a hook": (folder, path) => {
    writeFileSync(join(folder, ".git/hooks/post-index-change"), readFileSync(path), { mode: 0o755 });
    touch(folder);
  },
  "a filter": (folder, path) => {
    writeFileSync(join(folder, ".git/info/attributes"), "* filter=evil\n");
    git(folder, "config", "filter.evil.clean", path);
    git(folder, "config", "filter.evil.required", "true");
    touch(folder);
  },
  "a filter that is a process": (folder, path) => {
    writeFileSync(join(folder, ".git/info/attributes"), "* filter=evil\n");
    git(folder, "config", "filter.evil.process", path);
    touch(folder);
  },
  "a filter whose name a command line cannot hold": (folder, path) => {
    writeFileSync(join(folder, ".git/info/attributes"), "* filter=a=b\n");
    appendFileSync(join(folder, ".git/config"), `[filter "a=b"]\n\tclean = ${path}\n`);
    touch(folder);
  },
  "the program that checks signatures": (folder, path) => {
    git(folder, "config", "log.showSignature", "true");
    git(folder, "config", "gpg.program", path);
    const text = `${git(folder, "cat-file", "commit", "HEAD")}\n`.replace(
      /\n\n/,
      "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n fake\n -----END PGP SIGNATURE-----\n\n",
    );
    writeFileSync(join(folder, ".git/signed"), text);
    git(folder, "update-ref", "HEAD", git(folder, "hash-object", "-t", "commit", "-w", ".git/signed"));
  },
  "a transport that fetches what is missing": (folder, path) => {
    const tree = git(folder, "rev-parse", "HEAD^{tree}");
    rmSync(join(folder, ".git/objects", tree.slice(0, 2), tree.slice(2)));
    git(folder, "config", "core.repositoryFormatVersion", "1");
    git(folder, "config", "extensions.partialClone", "origin");
    git(folder, "config", "remote.origin.promisor", "true");
    git(folder, "config", "remote.origin.url", `ext::${path}`);
    git(folder, "config", "protocol.ext.allow", "always");
    rmSync(join(folder, ".git/index"));
  },
  "a submodule with a configuration of its own": (folder, path) => {
    execFileSync("git", ["clone", "-q", folder, "inner"], { cwd: folder, stdio: "ignore" });
    git(folder, "add", "inner");
    git(folder, "commit", "-qm", "Inner");
    git(join(folder, "inner"), "config", "core.fsmonitor", path);
  },
};

describe("an untrusted repository runs nothing, with", () => {
  for (const [name, prepare] of Object.entries(attacks))
    test(name, async () => {
      const [plain, asked] = [repository(), repository()];
      for (const folder of [plain, asked]) prepare(folder, program(folder).path);
      for (const command of ["status", "log"]) {
        try {
          git(plain, command);
        } catch {}
      }
      assert.ok(program(plain).wasRun(), "git by itself does not run it here, so this proves nothing");
      const { commit } = await readCommit(asked);
      assert.ok(!program(asked).wasRun(), "it was run");
      assert.equal(commit, git(asked, "rev-parse", "HEAD"));
    });
});

test("programs that an untrusted repository names for Git LFS are none", async () => {
  const folder = repository();
  const keys = ["lfs.extension.evil.clean", "lfs.customtransfer.evil.path", "lfs.standalonetransferagent"];
  for (const key of keys) git(folder, "config", key, program(folder).path);
  for (const key of keys) assert.equal((await createGit(folder)(["config", key])).stdout, "\n", key);
});

describe("a folder's commit", () => {
  test("is returned with its time, and whether there are uncommitted changes", async () => {
    const folder = repository();
    const [commit, committedAt] = git(folder, "log", "-1", "--format=%H %ct").split(" ");
    assert.deepEqual(await readCommit(folder), { commit, isDirty: false, committedAt });
    touch(folder);
    assert.equal((await readCommit(folder)).isDirty, false);
    writeFileSync(join(folder, "a.txt"), "two\n");
    assert.equal((await readCommit(folder)).isDirty, true);
    git(folder, "checkout", "-q", "a.txt");
    writeFileSync(join(folder, "b.txt"), "");
    assert.equal((await readCommit(folder)).isDirty, true);
  });

  test("is null outside of a repository, and before the first commit", async () => {
    const none = { commit: null, isDirty: true, committedAt: "0" };
    const folder = temporaryFolder();
    assert.deepEqual(await readCommit(folder), none);
    git(folder, "init", "-q");
    assert.deepEqual(await readCommit(folder), none);
  });

  test("is computed with the user's own filters", async () => {
    const folder = repository();
    const home = temporaryFolder();
    writeFileSync(join(home, ".gitconfig"), '[filter "upper"]\n\tclean = tr a-z A-Z\n');
    writeFileSync(join(folder, ".git/info/attributes"), "* filter=upper\n");
    writeFileSync(join(folder, "a.txt"), "two\n");
    const { HOME } = process.env;
    process.env["HOME"] = home;
    try {
      git(folder, "add", "-A");
      git(folder, "commit", "-qm", "Second");
      assert.equal(git(folder, "show", "HEAD:a.txt"), "TWO");
      touch(folder);
      assert.equal((await readCommit(folder)).isDirty, false);
    } finally {
      process.env["HOME"] = HOME;
    }
  });
});
