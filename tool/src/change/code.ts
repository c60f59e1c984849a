import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findReferences } from "../new/slice/cut.ts";
import { listDeclared, type Node, tryParse } from "../new/slice/syntax.ts";
import type { Repository } from "./git.ts";
import { mergeImports, place, splitImports } from "./imports.ts";

/**
 * Merges code whose imports conflict only because their lines are adjacent: imports are merged as a set, and the rest
 * as lines. Undefined if that is not enough.
 */
export async function mergeCode(
  repository: Repository,
  [base, ours, theirs]: [string, string, string],
): Promise<string | undefined> {
  const isWhole = (text: string) => isComplete(text, [ours, theirs]);
  if (![base, ours, theirs].every(tryParse)) return undefined;
  // Whoever only wrote above and below it has changed none of its lines.
  const around = ours.includes(base) ? ours.replace(base, () => theirs) : undefined;
  if (around !== undefined && isWhole(around)) return around;
  const [before, mine, other] = [splitImports(base), splitImports(ours), splitImports(theirs)];
  const rest = await mergeLines(repository, [before.rest, mine.rest, other.rest]);
  if (rest === undefined) return undefined;
  const imports = mergeImports(before.imports, mine.imports, other.imports, rest);
  if (imports === undefined || rest.match(place)?.length !== 1) return undefined;
  const merged = rest.replace(place, () => imports);
  return isWhole(merged) ? merged : undefined;
}

/** Whether a merge can be parsed, and imports what it uses of the imports of both sides. */
function isComplete(text: string, sides: [string, string]): boolean {
  const names = sides.flatMap((side) => splitImports(side).imports.flatMap(({ declared }) => declared));
  const program = tryParse(text);
  // A name that is not declared in a side either is the name of something else, like a parameter.
  const missing = new Set(sides.flatMap((side) => findMissing(tryParse(side), names)));
  return program !== undefined && findMissing(program, names).every((name) => missing.has(name));
}

/** Those of the names that code uses and does not declare. */
function findMissing(program: Node | undefined, names: string[]): string[] {
  if (!program) return [];
  const declared = new Set((program["body"] as Node[]).flatMap(listDeclared));
  return names.filter((name) => !declared.has(name) && findReferences(program, name, []).length > 0);
}

const conflict = /^<{7} .*\n([\s\S]*?)^\|{7} .*\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} .*\n/gm;

type Join = (ours: string, base: string, theirs: string) => string | undefined;

/** The text with each conflict joined. Undefined if one cannot be. */
function joinConflicts(text: string, join: Join): string | undefined {
  const merged = text.replace(conflict, (whole, ours, base, theirs) => join(ours, base, theirs) ?? whole);
  return /^<{7} /m.test(merged) ? undefined : merged;
}

/** Merges the mounts where both sides changed the list. Undefined if anything else conflicts. */
function mergeMounts(text: string): string | undefined {
  return /^\/\*\* The (routes|modules) of the resources and features\./m.test(text)
    ? joinConflicts(text, joinMounts)
    : undefined;
}

/** As a set of lines: a resource that was copied by hand is mounted there, too. Undefined if a side changed a line. */
function joinMounts(...sides: [ours: string, base: string, theirs: string]): string | undefined {
  const [ours = [], base = [], theirs = []] = sides.map((side): string[] => side.match(/.*\n/g) ?? []);
  const without = (lines: string[], others: string[]) => lines.filter((line) => !others.includes(line));
  const isChanged = [ours, theirs].some((side) => without(side, base).length > 0 && without(base, side).length > 0);
  if (isChanged) return undefined;
  return [...without(ours, without(base, theirs)), ...without(without(theirs, base), ours)].join("");
}

/** Merges the fields of a resource where both sides changed the list. Undefined if anything else conflicts. */
function mergeFields(text: string): string | undefined {
  return /^export const \w+ = resource\(/m.test(text) ? joinConflicts(text, joinFields) : undefined;
}

/**
 * The fields of the owner without those that Dory removed, and the new ones. Undefined if both changed the same field,
 * or if the owner renamed or removed one.
 */
function joinFields(...sides: [ours: string, base: string, theirs: string]): string | undefined {
  const [ours, base, theirs] = sides.map(readFields);
  if (!ours || !base || !theirs) return undefined;
  const merged: string[] = [];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const [mine, before, other] = [ours.get(name), base.get(name), theirs.get(name)];
    const isRenamed = mine === undefined && before !== undefined;
    if (isRenamed || (mine !== before && other !== before && mine !== other)) return undefined;
    merged.push((mine === before ? other : mine) ?? "");
  }
  return merged.join("");
}

/** Lines by the name of their field. Undefined if there is anything else, or an indentation that Dory does not use. */
function readFields(text: string): Map<string, string> | undefined {
  const lines = text.match(/^.*\n/gm) ?? [];
  const fields = new Map(lines.map((line) => [/^ {2}(\w+): .*,\n$/.exec(line)?.[1] ?? "", line]));
  return fields.has("") || fields.size < lines.length ? undefined : fields;
}

async function mergeLines(repository: Repository, texts: [string, string, string]): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const [base, ours, theirs] = texts.map((text, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, text);
      return path;
    }) as [string, string, string];
    const args = ["merge-file", "--stdout", "--quiet", "--diff3", ours, base, theirs];
    const { code, stdout } = await repository.tryGit(args);
    return code === 0 ? stdout : (mergeFields(stdout) ?? mergeMounts(stdout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
