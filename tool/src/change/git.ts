import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import coerce from "semver/functions/coerce.js";
import lt from "semver/functions/lt.js";
import type { Execution, Outcome } from "../execute.ts";
import { Fault } from "../fault.ts";
import { createGit } from "../git.ts";
import { completeIdentity, quote } from "../new/programs.ts";

/** The repository that a project is in. */
export interface Repository {
  /** The project's folder. */
  folder: string;
  /** Its path in the repository: "", or a path that ends with a slash. */
  prefix: string;
  branch: string;
  head: string;
  /** Arguments for commits: the owner's identity, and a signature if the owner signs. */
  authorship: { before: string[]; after: string[] };
  /** Runs git and returns what it prints; a failure is reported with git's message. */
  git(args: string[], how?: Execution): Promise<string>;
  /** The same, but returns a failure instead of throwing. */
  tryGit(args: string[], how?: Execution): Promise<Outcome>;
  /** The lines of `git ls-tree` for all files of a commit or tree. */
  listTree(tree: string): Promise<string[]>;
}

/** The first version that can merge without a working tree. */
const oldest = "2.38";

/** Opens the repository of a project. */
export async function openRepository(folder: string): Promise<Repository> {
  const runs = createRuns(folder);
  const { git, tryGit } = runs;
  checkVersion(await tryGit(["version"]));
  const args = ["rev-parse", "--show-prefix", "--is-shallow-repository", "HEAD", "--symbolic-full-name", "HEAD"];
  const found = await tryGit(args);
  const [prefix = "", isShallow, head = "", ref = ""] = found.stdout.split("\n");
  if (/dubious ownership/.test(found.stderr))
    throw new Fault(
      "foreign_repository",
      `This repository belongs to another user, and git does not use it. If you trust it: git config --global --add safe.directory ${quote(resolve(folder))}`,
    );
  if (/not a git repository/.test(found.stderr))
    throw new Fault("no_repository", `This project is not in a git repository. ${begin}`);
  if (isShallow === undefined) expectSuccess(args, found);
  if (isShallow === "true")
    throw new Fault(
      "shallow",
      "This clone has only a part of the history. Run git fetch --unshallow, then run this again.",
    );
  if (found.code !== 0) throw new Fault("no_commit", `This repository has no commit yet. ${begin}`);
  if (ref === "HEAD")
    throw new Fault("no_branch", "No branch is checked out here. Run git switch BRANCH, or git switch -c NEW-BRANCH.");
  await checkWorkTree(folder, git);
  const authorship = await readAuthorship(tryGit);
  return { folder, prefix, branch: ref.replace("refs/heads/", ""), head, authorship, ...runs };
}

/** The same repository, with variables for every run of git. */
export function withVariables(repository: Repository, env: NodeJS.ProcessEnv): Repository {
  return { ...repository, ...createRuns(repository.folder, env) };
}

function createRuns(folder: string, env: NodeJS.ProcessEnv = {}): Pick<Repository, "git" | "tryGit" | "listTree"> {
  // git's messages are parsed, so they must be in English.
  const tryGit = createGit(folder, { LC_ALL: "C", ...env });
  const git = async (args: string[], how?: Execution) => expectSuccess(args, await tryGit(args, how));
  const known = new Map<string, Promise<string[]>>();
  const list = async (tree: string) =>
    (await git(["ls-tree", "-r", "-z", "--full-tree", tree])).split("\0").filter(Boolean);
  const listTree = (tree: string) => {
    const lines = known.get(tree) ?? list(tree);
    // What an id names never changes, and a change reads the same trees several times.
    if (/^[\da-f]{40,}$/.test(tree)) known.set(tree, lines);
    return lines;
  };
  return { git, tryGit, listTree };
}

/** A repository could name any folder as its working tree, and its files would be written there. */
async function checkWorkTree(folder: string, git: Repository["git"]): Promise<void> {
  if (process.env["GIT_DIR"] || process.env["GIT_WORK_TREE"]) return;
  const top = (await git(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  let found = realpathSync(folder);
  while (!existsSync(join(found, ".git")) && found !== dirname(found)) found = dirname(found);
  if (found !== realpathSync(top))
    throw new Fault(
      "work_tree",
      `core.worktree in the configuration of this repository names another folder, ${top}. If that is right, remove it and work there; else the repository is not to be trusted.`,
    );
}

const begin =
  "Projects are changed by git merge, so run git init && git add -A && git commit -m 'First commit' here, then run this again.";

/** Refuses uncommitted changes, which would mix with the merge. */
export async function checkClean({ git, tryGit }: Repository): Promise<void> {
  const changed = (await git(["status", "--porcelain", "--untracked-files=normal"])).split("\n").filter(Boolean);
  if (changed.length === 0) return;
  if ((await tryGit(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])).code === 0)
    throw new Fault(
      "merge_unfinished",
      "A merge is not finished here. Finish it with git commit, or git merge --abort.",
    );
  const names = changed.slice(0, 3).map((line) => line.slice(3));
  const more = changed.length > names.length ? ` and ${changed.length - names.length} more` : "";
  throw new Fault(
    "unclean",
    `Not everything here is committed: ${names.join(", ")}${more}. Commit it, or stash it with git stash -u.`,
  );
}

async function readAuthorship(tryGit: Repository["tryGit"]): Promise<Repository["authorship"]> {
  const { stdout } = await tryGit(["config", "--get-regexp", "^(user\\.(name|email)|commit\\.gpgsign)$"]);
  const isSigned = /^commit\.gpgsign (?:true|yes|on|1)?$/im.test(
    stdout.split("\n").findLast((line) => /^commit/.test(line)) ?? "",
  );
  return { before: completeIdentity(stdout), after: isSigned ? ["-S"] : [] };
}

function checkVersion({ code, stdout }: Outcome): void {
  if (code !== 0) throw new Fault("no_git", "git cannot be run. Projects are changed by git merge: install git first.");
  if (lt(coerce(stdout) ?? "0.0.0", `${oldest}.0`))
    throw new Fault("old_git", `${stdout.trim()} is too old: git ${oldest} or later is needed.`);
}

function expectSuccess(args: string[], { code, stdout, stderr }: Outcome): string {
  if (code === 0) return stdout;
  const reason = stderr.trim().split("\n").slice(0, 8).join("\n");
  throw new Fault("git", `git ${args.find((arg) => !arg.startsWith("-"))} failed: ${reason}`);
}
