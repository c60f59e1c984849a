import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sortNames } from "../new/slice/imports.ts";
import type { Repository } from "./git.ts";

/**
 * Merges code whose imports conflict only because their lines are adjacent: imports are merged as a set, and the rest
 * as lines. Undefined if that is not enough.
 */
export async function mergeCode(
  repository: Repository,
  [base, ours, theirs]: [string, string, string],
): Promise<string | undefined> {
  // Whoever only wrote above and below it has changed none of its lines.
  if (ours.includes(base)) return ours.replace(base, () => theirs);
  const parts = [base, ours, theirs].map(splitImports);
  const [before, mine, other] = parts.map(({ imports }) => imports) as [string[], string[], string[]];
  const rest = await mergeLines(repository, parts.map(({ rest }) => rest) as [string, string, string]);
  const imports = rest === undefined ? undefined : mergeImports(before, mine, other, rest);
  return imports && rest?.replace(place, () => imports.join(""));
}

const statement = /^import\b[^;]*;\n/gm;
/** Where the imports of a file are. */
const place = "import;\n";

function splitImports(text: string): { imports: string[]; rest: string } {
  const imports = text.match(statement) ?? [];
  let isFirst = true;
  const rest = text.replace(statement, () => {
    const kept = isFirst ? place : "";
    isFirst = false;
    return kept;
  });
  return { imports, rest };
}

/** Their imports, with those that the owner added after the ones they followed. */
function mergeImports(base: string[], ours: string[], theirs: string[], rest: string): string[] | undefined {
  const removed = base.filter((one) => !ours.includes(one));
  const merged = theirs.filter((one) => !removed.includes(one));
  for (const [index, one] of ours.entries()) {
    if (base.includes(one) || merged.includes(one)) continue;
    const above = ours.slice(0, index).findLast((other) => merged.includes(other));
    merged.splice(above === undefined ? 0 : merged.indexOf(above) + 1, 0, one);
  }
  const isChangedByBoth = removed.some((one) => !theirs.includes(one));
  return joinNames(merged, isChangedByBoth ? rest : undefined);
}

const namedImport = /^import \{ ([^}]+) \} from "(\.[^"]+)";\n$/;

/**
 * One import of each file: both sides may have begun to use it, for other names. Where both changed the same import,
 * the names that the code uses decide. Undefined if one name comes from two files.
 */
function joinNames(imports: string[], code: string | undefined): string[] | undefined {
  const files = new Map<string, string>();
  for (const one of imports) {
    const [, list = "", file = ""] = namedImport.exec(one) ?? [];
    for (const name of list.split(", ").filter((name) => name !== "" && isUsed(name, code))) {
      if ((files.get(name) ?? file) !== file) return undefined;
      files.set(name, file);
    }
  }
  const joined = imports.flatMap((one) => {
    const [, , file] = namedImport.exec(one) ?? [];
    if (file === undefined) return [one];
    const names = [...files].flatMap(([name, from]) => (from === file ? [name] : []));
    return names.length > 0 ? [sortNames(`import { ${names.join(", ")} } from "${file}";\n`)] : [];
  });
  return [...new Set(joined)];
}

function isUsed(name: string, code: string | undefined): boolean {
  return code === undefined || new RegExp(`\\b${name.replace(/^type |.* as /, "")}\\b`).test(code);
}

/** Merges the fields of a resource where both sides changed the list. Undefined if anything else conflicts. */
function mergeFields(text: string): string | undefined {
  if (!/^export const \w+ = resource\(/m.test(text)) return undefined;
  const conflict = /^<{7} .*\n([\s\S]*?)^\|{7} .*\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} .*\n/gm;
  const merged = text.replace(conflict, (whole, ours, base, theirs) => joinFields(ours, base, theirs) ?? whole);
  return /^<{7} /m.test(merged) ? undefined : merged;
}

/** The owner's lines without those that Dory removed, and the new ones. Undefined if the owner changed one. */
function joinFields(...sides: [ours: string, base: string, theirs: string]): string | undefined {
  const [ours = [], base = [], theirs = []] = sides.map((side): string[] => side.match(/^.*\n/gm) ?? []);
  const isField = (line: string) => /^\s+\w+: .*,\n$/.test(line);
  const isChanged = base.some((line) => !ours.includes(line));
  if (isChanged || ![...ours, ...theirs].every(isField)) return undefined;
  const kept = ours.filter((line) => theirs.includes(line) || !base.includes(line));
  return [...kept, ...theirs.filter((line) => !base.includes(line) && !ours.includes(line))].join("");
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
    return code === 0 ? stdout : mergeFields(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
