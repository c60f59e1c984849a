import { basename } from "node:path/posix";
import { listImported, respell, rewriteImports, target } from "../new/slice/imports.ts";
import type { Repository } from "./git.ts";

/** The new paths of files that Dory has moved, by their old ones. */
export type Moves = Map<string, string>;

/** By their names, also if they have changed a lot since; files with other names by what is in them. */
export async function findMoves(repository: Repository, from: string, to: string): Promise<Moves> {
  const entries = await listChanges(repository, ["--no-renames", "--diff-filter=AD", from, to], 2);
  const listPaths = (status: string) => entries.flatMap(([own, path = ""]) => (own === status ? [path] : []));
  const moves = new Map([
    ...matchNames(listPaths("D"), listPaths("A")),
    ...findReplaced(listPaths("D"), listPaths("A")),
  ]);
  const renames = await listChanges(repository, ["--find-renames=30%", "--diff-filter=R", from, to], 3);
  const taken = new Set(moves.values());
  for (const [, old = "", path = ""] of renames) if (!moves.has(old) && !taken.has(path)) moves.set(old, path);
  return new Map([...moves].filter(([path]) => !isReplaced(path)));
}

/** In 0.1.0 these were schemas. Files of the same names in `src/core/fields` have builders, which are something else. */
const isReplaced = (path: string) => /(^|\/)src\/fields\/[^/]+\.ts$/.test(path);

/** What tests of 0.1.0 imported is in one file now. */
function findReplaced(old: string[], added: string[]): Moves {
  const pairs = old.map((path) => [path, path.replace(/\btest\/support\/(app|ask)\.ts$/, "dory.ts")] as const);
  return new Map(pairs.filter(([path, now]) => path !== now && added.includes(now)));
}

/** Pairs of the same file name, those with more equal folders above it first, then those in the same part of the project. */
function matchNames(old: string[], added: string[]): Moves {
  const pairs = old.flatMap((one) =>
    added.filter((other) => basename(one) === basename(other)).map((other) => [one, other] as const),
  );
  const moves: Moves = new Map();
  const taken = new Set<string>();
  for (const [one, other] of pairs.sort(
    (a, b) => countAbove(...b) - countAbove(...a) || countBelow(...b) - countBelow(...a),
  )) {
    if (moves.has(one) || taken.has(other)) continue;
    moves.set(one, other);
    taken.add(other);
  }
  return moves;
}

/** How many folders above two files have the same names. */
const countAbove = (one: string, other: string) => countEqual(one.split("/").reverse(), other.split("/").reverse());

/** How many folders below the root two files have in common. */
const countBelow = (one: string, other: string) => countEqual(one.split("/"), other.split("/"));

function countEqual(one: string[], other: string[]): number {
  const differs = one.findIndex((name, index) => name !== other[index]);
  return differs < 0 ? one.length : differs;
}

async function listChanges({ git }: Repository, args: string[], size: number): Promise<string[][]> {
  const parts = (await git(["diff-tree", "-r", "-z", "--name-status", ...args])).split("\0").slice(0, -1);
  return Array.from({ length: parts.length / size }, (_, index) => parts.slice(index * size, (index + 1) * size));
}

/** The text of a file, itself perhaps moved, with imports of where other files are now. */
export function respellImports(text: string, { from, to }: { from: string; to: string }, moves: Moves): string {
  return rewriteImports(text, (specifier) => {
    const imported = target(from, specifier);
    return from === to && !moves.has(imported) ? specifier : respell(to, moves.get(imported) ?? imported);
  });
}

interface Followed {
  path: string;
  file: { text: string; mode: string };
}

/**
 * The owner's files that import files which have moved, with the new paths of these. Git merges what the owner changed
 * in a moved file, but not what points at it. Replaced files that the owner's import stay, and are the owner's.
 */
export async function followMoves(
  repository: Repository,
  { ours, theirs, tree }: { ours: string; theirs: string; tree: string },
  moves: Moves,
): Promise<Followed[]> {
  if (moves.size === 0) return [];
  const [merged, pristine] = [await listFiles(repository, tree), await listFiles(repository, theirs)];
  const replaced = [...(await listFiles(repository, ours))].filter(([path]) => isReplaced(path) && !merged.has(path));
  const gone: Moves = new Map([...moves].filter(([path]) => !merged.has(path)));
  const followed: Followed[] = [];
  const open = [...merged].filter(([path, { id }]) => path.endsWith(".ts") && pristine.get(path)?.id !== id);
  for (const [path, { mode, id }] of open) {
    const text = await repository.git(["cat-file", "blob", id]);
    const file = { mode, text: respellImports(text, { from: path, to: path }, gone) };
    if (file.text !== text || !merged.has(path)) followed.push({ path, file });
    const imported = listImported(path, text);
    open.push(...replaced.filter((one) => imported.includes(one[0]) && !open.includes(one)));
  }
  return followed;
}

/** Imports of files that Dory made before and no longer makes, as sentences. */
export async function findLostImports(
  repository: Repository,
  { before, pristine, merged }: { before: string; pristine: string; merged: string },
): Promise<string[]> {
  const [old, made, all] = await Promise.all([before, pristine, merged].map((tree) => listFiles(repository, tree)));
  const lost: string[] = [];
  for (const [path, { id }] of all ?? []) {
    if (!path.endsWith(".ts") || made?.get(path)?.id === id) continue;
    const imported = listImported(path, await repository.git(["cat-file", "blob", id]));
    const gone = imported.filter((one) => old?.has(one) && !all?.has(one));
    lost.push(...gone.map((one) => `${path} imports ${one}, which is gone: Dory no longer makes it.`));
  }
  return lost;
}

/** The regular files of a commit or tree, by path. */
export async function listFiles({ git }: Repository, tree: string): Promise<Map<string, { mode: string; id: string }>> {
  const entries = (await git(["ls-tree", "-r", "-z", "--full-tree", tree])).split("\0");
  return new Map(
    entries.flatMap((entry): [string, { mode: string; id: string }][] => {
      const [, mode, id, path] = /^(100\d{3}) blob ([\da-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
      return mode && id && path ? [[path, { mode, id }]] : [];
    }),
  );
}
