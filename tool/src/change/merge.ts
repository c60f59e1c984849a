import { Fault } from "../fault.ts";
import { isKit } from "../kit.ts";
import type { Repository } from "./git.ts";
import { settleKits } from "./kit.ts";
import { findMoves, followMoves } from "./moved.ts";
import { commitTree } from "./pristine.ts";
import { resolve, type Settled, settle, treeWith } from "./settle.ts";

/** A pristine commit to merge. */
export interface Step {
  commit: string;
  subject: string;
  /** Its content is already in the owner's branch: only the history changes. */
  isRecordOnly?: boolean;
  /** Files of the owner that come with it. */
  additions?: Settled[];
}

/** The result of merging steps, before anything is applied. */
export interface Merged {
  /** The branch with all steps before the one that conflicts. */
  head: string;
  tree: string;
  conflict?: {
    step: Step;
    /** What git leaves for the owner, with marks in these paths. */
    tree: string;
    paths: string[];
    /** Those paths that the owner deleted. */
    deleted: string[];
    /** Other files that git cannot merge, which need no person. */
    settled: Settled[];
    isLast: boolean;
  };
}

/** Merges the steps in order, only in git's database. */
export async function mergeSteps(repository: Repository, steps: Step[]): Promise<Merged> {
  let { head } = repository;
  let tree = `${head}^{tree}`;
  for (const [index, step] of steps.entries()) {
    if (!step.isRecordOnly) {
      const { additions = [] } = step;
      const { tree: merged, paths, settled } = await mergeTrees(repository, head, step.commit);
      if (paths.length > 0) {
        const present = await repository.git(["ls-tree", "-r", "-z", "--full-tree", "--name-only", head]);
        const deleted = paths.filter((path) => !present.split("\0").includes(path));
        const isLast = index === steps.length - 1;
        return {
          head,
          tree,
          conflict: { step, tree: merged, paths, deleted, settled: [...settled, ...additions], isLast },
        };
      }
      tree = additions.length > 0 ? await treeWith(repository, merged, additions) : merged;
    }
    head = await commitTree(repository, tree, [head, step.commit], `${step.subject}\n`);
  }
  return { head, tree };
}

/** The tree of a merge, the paths with conflicts, and those that are settled in the tree. */
export async function mergeTrees(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<{ tree: string; paths: string[]; settled: Settled[] }> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { code, stdout, stderr } = await repository.tryGit(args);
  if (code > 1) throw new Fault("git", `git merge-tree failed: ${stderr.trim()}`);
  const [tree = "", ...all] = stdout.split("\0").filter(Boolean);
  const base = await onlyBase(repository, ours, theirs);
  const settled = [
    ...(base === undefined ? [] : await settleWith(repository, { base, ours, theirs, tree, paths: all })),
    ...(await settleKits(repository, { ours: tree, base, theirs })),
  ];
  const paths = all.filter((path) => !isKit(path) && !settled.some((one) => one.path === path));
  return { tree: settled.length > 0 ? await treeWith(repository, tree, settled) : tree, paths, settled };
}

/** What needs no person, if it is known what both sides come from. */
async function settleWith(
  repository: Repository,
  { base, ours, theirs, tree, paths }: { base: string; ours: string; theirs: string; tree: string; paths: string[] },
): Promise<Settled[]> {
  const moves = await findMoves(repository, base, theirs);
  const settled = await settle(repository, { base, ours, theirs, paths: paths.filter((path) => !isKit(path)), moves });
  const followed = await followMoves(repository, { ours, theirs, tree }, moves);
  return [...settled, ...followed.filter(({ path }) => !paths.includes(path))];
}

/** The commit that both sides of a merge come from, if there is one only. */
async function onlyBase({ tryGit }: Repository, ours: string, theirs: string): Promise<string | undefined> {
  const [base, ...others] = (await tryGit(["merge-base", "--all", ours, theirs])).stdout.trim().split(/\s+/);
  return others.length > 0 ? undefined : base || undefined;
}

export async function readTree({ git }: Repository, commit: string): Promise<string> {
  return (await git(["rev-parse", `${commit}^{tree}`])).trim();
}

/** Fast-forwards the branch. If git refuses, nothing changes. */
export async function moveBranch({ git }: Repository, commit: string): Promise<void> {
  await git(["merge", "--ff-only", "--quiet", "--no-stat", commit]);
}

type Conflict = NonNullable<Merged["conflict"]>;

/** Runs an ordinary merge, to leave its conflict for the owner. */
export async function leaveConflict(repository: Repository, { step, settled }: Conflict): Promise<void> {
  const { tryGit } = repository;
  const { commit, subject } = step;
  const { stderr } = await tryGit(["merge", "--no-ff", "--no-edit", "--quiet", "-m", subject, commit]);
  if ((await tryGit(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])).code !== 0)
    throw new Fault("git", `git merge failed: ${stderr.trim()}`);
  await resolve(repository, settled);
}
