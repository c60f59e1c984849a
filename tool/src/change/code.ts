import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  const imports = mergeImports(before, mine, other);
  const rest = imports && (await mergeLines(repository, parts.map(({ rest }) => rest) as [string, string, string]));
  return rest?.replace(place, () => imports?.join("") ?? "");
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

/** Their imports, with those that the owner added after the ones they followed. Undefined if both changed the same. */
function mergeImports(base: string[], ours: string[], theirs: string[]): string[] | undefined {
  const removed = base.filter((one) => !ours.includes(one));
  if (removed.some((one) => !theirs.includes(one))) return undefined;
  const merged = theirs.filter((one) => !removed.includes(one));
  for (const [index, one] of ours.entries()) {
    if (base.includes(one) || merged.includes(one)) continue;
    const above = ours.slice(0, index).findLast((other) => merged.includes(other));
    merged.splice(above === undefined ? 0 : merged.indexOf(above) + 1, 0, one);
  }
  return merged;
}

async function mergeLines(repository: Repository, texts: [string, string, string]): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const [base, ours, theirs] = texts.map((text, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, text);
      return path;
    }) as [string, string, string];
    const { code, stdout } = await repository.tryGit(["merge-file", "--stdout", "--quiet", ours, base, theirs]);
    return code === 0 ? stdout : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
