import { respell, rewriteImports, target } from "../new/slice/imports.ts";
import type { Repository } from "./git.ts";

/** The new paths of files that Dory has moved, by their old ones. */
export type Moves = Map<string, string>;

/** Also of files that have changed a lot since. */
export async function findMoves({ git }: Repository, from: string, to: string): Promise<Moves> {
  const args = ["diff-tree", "-r", "-z", "--find-renames=30%", "--diff-filter=R", "--name-status", from, to];
  const parts = (await git(args)).split("\0");
  const moves: Moves = new Map();
  for (let index = 0; index + 2 < parts.length; index += 3) moves.set(parts[index + 1] ?? "", parts[index + 2] ?? "");
  return moves;
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
 * in a moved file, but not what points at it.
 */
export async function followMoves(
  repository: Repository,
  { theirs, tree }: { theirs: string; tree: string },
  moves: Moves,
): Promise<Followed[]> {
  if (moves.size === 0) return [];
  const [merged, pristine] = [await listFiles(repository, tree), await listFiles(repository, theirs)];
  const gone: Moves = new Map([...moves].filter(([path]) => !merged.has(path)));
  const followed: Followed[] = [];
  for (const [path, { mode, id }] of merged) {
    if (!path.endsWith(".ts") || pristine.get(path)?.id === id) continue;
    const text = await repository.git(["cat-file", "blob", id]);
    const file = { mode, text: respellImports(text, { from: path, to: path }, gone) };
    if (file.text !== text) followed.push({ path, file });
  }
  return followed;
}

/** The regular files of a commit or tree, by path. */
async function listFiles({ git }: Repository, tree: string): Promise<Map<string, { mode: string; id: string }>> {
  const entries = (await git(["ls-tree", "-r", "-z", "--full-tree", tree])).split("\0");
  return new Map(
    entries.flatMap((entry): [string, { mode: string; id: string }][] => {
      const [, mode, id, path] = /^(100\d{3}) blob ([\da-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
      return mode && id && path ? [[path, { mode, id }]] : [];
    }),
  );
}
