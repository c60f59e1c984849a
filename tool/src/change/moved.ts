import { basename } from "node:path/posix";
import { listImported, respell, rewriteImports, target } from "../new/slice/imports.ts";
import type { Repository } from "./git.ts";
import { isRenamed, isReplaced, modernise, staysForOwner } from "./outdated.ts";

/** Where things are that Dory has moved. */
export interface Moves {
  /** The new paths of files, by their old ones. */
  files: Paths;
  /** Of files that are now parts of others: by their path and the name of an export, the path that has it now. */
  exports: Map<string, Paths>;
}

type Paths = Map<string, string>;

/** Files by their names, also if they have changed a lot since, by what they export, or by what is in them. */
export async function findMoves(repository: Repository, from: string, to: string): Promise<Moves> {
  const entries = await listChanges(repository, ["--no-renames", "--diff-filter=AD", from, to], 2);
  const listPaths = (status: string) => entries.flatMap(([own, path = ""]) => (own === status ? [path] : []));
  const files = new Map([
    ...matchNames(listPaths("D"), listPaths("A")),
    ...findReplaced(listPaths("D"), listPaths("A")),
  ]);
  const left = listPaths("D").filter((path) => path.endsWith(".ts") && !files.has(path) && !isReplaced(path));
  const exports = left.length > 0 ? await findExports(repository, { from, to }, left) : new Map();
  const renames = await listChanges(repository, ["--find-renames=30%", "--diff-filter=R", from, to], 3);
  const taken = new Set(files.values());
  for (const [, old = "", path = ""] of renames)
    if (!files.has(old) && !exports.has(old) && !taken.has(path)) files.set(old, path);
  return { files: new Map([...files].filter(([path]) => !isReplaced(path))), exports };
}

/** Where the exports of files are now. A name that a file had before is another thing there. */
async function findExports(
  repository: Repository,
  { from, to }: { from: string; to: string },
  left: string[],
): Promise<Moves["exports"]> {
  const [before, after] = [await listExports(repository, from), await listExports(repository, to)];
  const isNew = (path: string, name: string) => after.get(path)?.has(name) && !before.get(path)?.has(name);
  const entries = left.map((path): [string, Paths] => {
    const places = [...(before.get(path) ?? [])].flatMap((name) => {
      const same = [...after.keys()].filter((other) => isNew(other, name));
      const found = same.length > 0 ? same : [...after.keys()].filter((other) => isRenamed(name, other));
      const [nearest] = found.sort((one, other) => countBelow(other, path) - countBelow(one, path));
      return nearest === undefined ? [] : [[name, nearest] as const];
    });
    return [path, new Map(places)];
  });
  return new Map(entries.filter(([, names]) => names.size > 0));
}

/** The names that each file of a commit exports. */
export async function listExports({ tryGit }: Repository, commit: string): Promise<Map<string, Set<string>>> {
  const pattern = "^export (async )?(const|function|class|interface|type) ";
  const flags = ["--full-name", "--no-color", "--no-line-number", "--no-column"];
  const args = ["grep", ...flags, "-z", "-I", "-E", "-e", pattern, commit, "--", ":/*.ts"];
  const exported = new Map<string, Set<string>>();
  for (const line of (await tryGit(args)).stdout.split("\n")) {
    const [, path = "", name = ""] = /^[^:]+:([^\0]+)\0export (?:async )?\w+ (\w+)/.exec(line) ?? [];
    exported.set(path, (exported.get(path) ?? new Set()).add(name));
  }
  return exported;
}

/** What tests of 0.1.0 imported is in one file now. */
function findReplaced(old: string[], added: string[]): Paths {
  const pairs = old.map((path) => [path, path.replace(/\btest\/support\/(app|ask)\.ts$/, "dory.ts")] as const);
  return new Map(pairs.filter(([path, now]) => path !== now && added.includes(now)));
}

/** Pairs of the same file name, those with more equal folders above it first, then those in the same part of the project. */
function matchNames(old: string[], added: string[]): Paths {
  const pairs = old.flatMap((one) =>
    added.filter((other) => basename(one) === basename(other)).map((other) => [one, other] as const),
  );
  const moves: Paths = new Map();
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

/** The text of a file, itself perhaps moved, with imports of where other files and their exports are now. */
export function respellImports(text: string, { from, to }: { from: string; to: string }, moves: Moves): string {
  const { files, exports } = moves;
  const divided = divideImports(text, (specifier) => {
    const names = exports.get(target(from, specifier));
    return names && new Map([...names].map(([name, path]) => [name, respell(from, path)]));
  });
  const moved = rewriteImports(divided, (specifier) => {
    const imported = target(from, specifier);
    return from === to && !files.has(imported) ? specifier : respell(to, files.get(imported) ?? imported);
  });
  return modernise(text, moved);
}

/** Imports names from where they are now. What a file declares about a type follows the type. */
function divideImports(text: string, find: (specifier: string) => Paths | undefined): string {
  const declared = text.replace(
    /^(declare module ["'])(\.[^"']+)(["'] \{\s*(?:export )?interface (\w+))/gm,
    (_, start, specifier, rest, name) => `${start}${find(specifier)?.get(name) ?? specifier}${rest}`,
  );
  return declared.replace(
    /^((?:import|export)(?: type)?) \{([^}]*)\} from (["'])(\.[^"']+)["'](;?)/gm,
    (whole, start, list: string, mark, specifier, end) => {
      const places = find(specifier);
      if (!places) return whole;
      const names = splitNames(list);
      const groups = new Map<string, string[]>();
      for (const name of names) {
        const place = places.get(/^(?:type )?(\w+)/.exec(withoutComments(name).trim())?.[1] ?? "") ?? specifier;
        groups.set(place, [...(groups.get(place) ?? []), name]);
      }
      const print = (own: string[]) => (own.some(hasComment) ? `\n  ${own.join(",\n  ")},\n` : ` ${own.join(", ")} `);
      return [...groups].map(([place, own]) => `${start} {${print(own)}} from ${mark}${place}${mark}${end}`).join("\n");
    },
  );
}

const hasComment = (text: string) => withoutComments(text) !== text;
const withoutComments = (text: string) => text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, "");

/** The names of an import, each with the comments above it and on its line. */
function splitNames(list: string): string[] {
  const parts = list.split(/,(?![^\n]*\*\/)(?<!\/\/[^\n]*)/);
  const names: string[] = [];
  for (const part of parts) {
    // A comment after a comma is on the line of the name before it.
    const [, beside = "", rest = ""] = /^([^\S\n]*(?:\/\/.*|\/\*.*\*\/)?)([\s\S]*)$/.exec(part) ?? [];
    const last = names.pop();
    if (last !== undefined) names.push(beside.trim() === "" ? last : `${beside.trim()}\n  ${last}`);
    const text = (last === undefined ? part : rest).trim();
    if (text !== "") names.push(text);
  }
  return names;
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
  if (moves.files.size + moves.exports.size === 0) return [];
  const [merged, pristine] = [await listFiles(repository, tree), await listFiles(repository, theirs)];
  const replaced = [...(await listFiles(repository, ours))].filter(
    ([path]) => !merged.has(path) && staysForOwner(path, moves.exports),
  );
  const isGone = ([path]: [string, unknown]) => !merged.has(path);
  const gone = { files: new Map([...moves.files].filter(isGone)), exports: new Map([...moves.exports].filter(isGone)) };
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

/** The regular files of a commit or tree, by path. */
export async function listFiles(
  { listTree }: Repository,
  tree: string,
): Promise<Map<string, { mode: string; id: string }>> {
  return new Map(
    (await listTree(tree)).flatMap((entry): [string, { mode: string; id: string }][] => {
      const [, mode, id, path] = /^(100\d{3}) blob ([\da-f]+)\t([\s\S]+)$/.exec(entry) ?? [];
      return mode && id && path ? [[path, { mode, id }]] : [];
    }),
  );
}
