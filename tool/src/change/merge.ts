import { Fault } from "../fault.ts";
import { isKit } from "../kit.ts";
import type { Repository } from "./git.ts";
import { settleKits } from "./kit.ts";
import { findMoves, followMoves } from "./moved.ts";
import { commitTree } from "./pristine.ts";
import { type Settled, settle, treeWith } from "./settle.ts";

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
    /** Which of the three versions of a path are there: only both sides' have marks. */
    sides: ReadonlyMap<string, string>;
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
      const { tree: merged, paths, sides, settled } = await mergeTrees(repository, head, step.commit);
      if (paths.length > 0) {
        const isLast = index === steps.length - 1;
        return {
          head,
          tree,
          conflict: { step, tree: merged, paths, sides, settled: [...settled, ...additions], isLast },
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
): Promise<{ tree: string; paths: string[]; sides: Map<string, string>; settled: Settled[] }> {
  const args = ["merge-tree", "--write-tree", "--no-messages", "-z", ours, theirs];
  const { code, stdout, stderr } = await repository.tryGit(args);
  if (code > 1) throw new Fault("git", `git merge-tree failed: ${stderr.trim()}`);
  const [tree = "", ...lines] = stdout.split("\0").filter(Boolean);
  const sides = readSides(lines);
  const all = [...sides.keys()];
  const base = await onlyBase(repository, ours, theirs);
  const settled = [
    ...(base === undefined ? [] : await settleWith(repository, { base, ours, theirs, tree, paths: all })),
    ...(await settleKits(repository, { ours: tree, base, theirs })),
  ];
  const paths = all.filter((path) => !isKit(path) && !settled.some((one) => one.path === path));
  return { tree: settled.length > 0 ? await treeWith(repository, tree, settled) : tree, paths, sides, settled };
}

/** By the path of a conflict, the versions that git has of it: 1 for the base, 2 for ours, 3 for theirs. */
function readSides(lines: string[]): Map<string, string> {
  const sides = new Map<string, string>();
  for (const line of lines) {
    const [, side = "", path = ""] = /^\d+ [\da-f]+ (\d)\t([\s\S]+)$/.exec(line) ?? [];
    sides.set(path, `${sides.get(path) ?? ""}${side}`);
  }
  return sides;
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
