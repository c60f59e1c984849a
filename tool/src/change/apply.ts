import { existsSync, lstatSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "../fault.ts";
import { quote } from "../new/programs.ts";
import type { Repository } from "./git.ts";
import type { Merged } from "./merge.ts";
import { resolve } from "./settle.ts";

/** Moves the branch to what was merged, or leaves the conflict for the owner. If git cannot, everything is as before. */
export async function applyMerged(repository: Repository, merged: Merged): Promise<void> {
  const { head, conflict } = merged;
  const top = (await repository.git(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const added = await listAdded(repository, conflict?.tree ?? head);
  await refuseHidden(repository, top, added);
  const folders = listMissing(top, added);
  try {
    if (head !== repository.head) await moveBranch(repository, head);
    if (conflict) await leaveConflict(repository, conflict);
  } catch (error) {
    await restore(repository, top, { added, folders });
    throw error;
  }
}

async function listAdded({ git, head }: Repository, tree: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A", head, tree];
  return (await git(args)).split("\0").filter(Boolean);
}

/** Files that git ignores: it would write over them without a word. */
async function refuseHidden({ listTree, head }: Repository, top: string, added: string[]): Promise<void> {
  const tracked = new Set((await listTree(head)).map((line) => line.slice(line.indexOf("\t") + 1)));
  const inTheWay = added.flatMap((path) => findInTheWay(top, path, tracked) ?? []);
  if (inTheWay.length === 0) return;
  const names = [...new Set(inTheWay)].slice(0, 3).map((path) => quote(path));
  throw new Fault(
    "in_the_way",
    `git ignores ${names.join(", ")}, and the change has files there. Nothing was changed. Move ${names.length > 1 ? "these" : "it"} away, or add ${names.length > 1 ? "them" : "it"} to git with git add -f and commit.`,
  );
}

/** What is at a path, or a file where one of its folders would be, if git does not track that. */
function findInTheWay(top: string, path: string, tracked: ReadonlySet<string>): string | undefined {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const own = parts.slice(0, length).join("/");
    const found = lstatSync(join(top, own), { throwIfNoEntry: false });
    if (!found) return undefined;
    if ((length === parts.length || !found.isDirectory()) && !tracked.has(own)) return own;
  }
  return undefined;
}

/** A branch may have options for all its merges. */
const startMerge = ({ branch }: Repository) => [
  "-c",
  `branch.${branch}.mergeOptions=`,
  "merge",
  "--quiet",
  "--no-stat",
];

async function moveBranch(repository: Repository, commit: string): Promise<void> {
  const { git, tryGit } = repository;
  const { stderr } = await tryGit([...startMerge(repository), "--ff-only", commit]);
  if ((await git(["rev-parse", "HEAD"])).trim() !== commit) throw failure(stderr);
}

/** Runs an ordinary merge, to leave its conflict for the owner. */
async function leaveConflict(repository: Repository, { step, settled }: Conflict): Promise<void> {
  const { tryGit, authorship } = repository;
  const { commit, subject } = step;
  const args = [...startMerge(repository), "--no-ff", "--no-edit", "-m", subject, commit];
  const { stderr } = await tryGit([...authorship.before, ...args]);
  if ((await tryGit(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])).code !== 0) throw failure(stderr);
  await resolve(repository, settled);
}

type Conflict = NonNullable<Merged["conflict"]>;

const failure = (stderr: string) =>
  new Fault("git", `git could not merge, so nothing was changed: ${stderr.trim().split("\n").slice(0, 3).join("\n")}`);

/** The folders of files that are not there yet, those within others first. */
function listMissing(top: string, paths: string[]): string[] {
  const missing = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder !== "." && !existsSync(join(top, folder)); folder = dirname(folder))
      missing.add(folder);
  return [...missing].sort((one, other) => other.length - one.length);
}

interface Made {
  added: string[];
  folders: string[];
}

/** Before, nothing was uncommitted, and nothing of what was made was there. */
async function restore({ tryGit, head }: Repository, top: string, { added, folders }: Made): Promise<void> {
  await tryGit(["merge", "--abort"]);
  await tryGit(["reset", "--hard", "--quiet", head]);
  for (const path of added) rmSync(join(top, path), { force: true });
  for (const folder of folders) if (existsSync(join(top, folder))) rmdirSync(join(top, folder));
}
