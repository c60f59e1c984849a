import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mergeCode } from "./code.ts";
import { mergeJson } from "./data.ts";
import type { Repository } from "./git.ts";
import { listFiles, type Moves, respellImports } from "./moved.ts";

/** A file whose conflict needs no person: its text and mode, or neither if it is removed. */
export interface Settled {
  path: string;
  file?: { text: string; mode: string };
}

/** Settles those conflicts of a merge that only lines cause: the content of both sides fits together. */
export async function settle(
  repository: Repository,
  { base, ours, theirs, paths, moves }: Sides & { paths: string[]; moves: Moves },
): Promise<Settled[]> {
  const read = (commit: string, path: string) => fileAt(repository, commit, path);
  const settled = paths.map(async (path) => {
    const [from = path] = [...moves.files].find(([, to]) => to === path) ?? [];
    const [before, mine, other] = [await read(base, from), await read(ours, from), await read(theirs, path)];
    if (!before || !mine) return undefined;
    if (!other) return removeComments(path, mine) === removeComments(path, before) ? { path } : undefined;
    const here = ({ text }: File) => respellImports(text, { from, to: path }, moves);
    const text = await mergeText(repository, path, [here(before), here(mine), other.text]);
    return text === undefined ? undefined : { path, file: { ...mine, text } };
  });
  return (await Promise.all(settled)).flatMap((one) => one ?? []);
}

/** By what is in a file, instead of by its lines. */
async function mergeText(
  repository: Repository,
  path: string,
  texts: [base: string, ours: string, theirs: string],
): Promise<string | undefined> {
  if (path.endsWith(".json")) return mergeJson(...texts);
  return path.endsWith(".ts") ? mergeCode(repository, texts) : undefined;
}

interface Sides {
  base: string;
  ours: string;
  theirs: string;
}

/** A file without lines of comments: whoever only added a header has not changed what it does. */
function removeComments(path: string, { text }: File): string {
  const isCode = (line: string) => !/^\s*(\/\/.*|\/\*((?!\*\/).)*(\*\/)?\s*|\*( .*|\/\s*)?)?$/.test(line);
  const withoutBlocks = text.replaceAll(/^[^\S\n]*\/\*[\s\S]*?\*\/[^\S\n]*$/gm, "");
  return path.endsWith(".ts") ? withoutBlocks.split("\n").filter(isCode).join("\n") : text;
}

type File = NonNullable<Settled["file"]>;

/** A regular file in a commit. */
async function fileAt(repository: Repository, commit: string, path: string): Promise<File | undefined> {
  const found = (await listFiles(repository, commit)).get(path);
  return found && { mode: found.mode, text: await repository.git(["cat-file", "blob", found.id]) };
}

/** A tree with the settled files. */
export async function treeWith(repository: Repository, tree: string, settled: Settled[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    await repository.git(["read-tree", tree], { env });
    await putInIndex(repository, settled, env);
    return (await repository.git(["write-tree"], { env })).trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Marks conflicts of an unfinished merge as resolved, with the settled files. */
export async function resolve(repository: Repository, settled: Settled[]): Promise<void> {
  if (settled.length === 0) return;
  const cwd = (await repository.git(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const removed = settled.filter(({ file }) => !file).map(({ path }) => path);
  const kept = settled.filter(({ file }) => file).map(({ path }) => path);
  if (removed.length > 0)
    await repository.git(["rm", "--quiet", "--force", "--ignore-unmatch", "--", ...removed], { cwd });
  await putInIndex(
    repository,
    settled.filter(({ file }) => file),
  );
  if (kept.length > 0) await repository.git(["checkout-index", "--force", "--", ...kept], { cwd });
}

async function putInIndex({ git, head }: Repository, settled: Settled[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const lines: string[] = [];
  for (const { path, file } of settled) {
    // Removes the path, all stages of a conflict included.
    lines.push(`0 ${"0".repeat(head.length)}\t${path}\0`);
    if (!file) continue;
    const id = (await git(["hash-object", "-w", "--stdin"], { input: file.text })).trim();
    lines.push(`${file.mode} ${id}\t${path}\0`);
  }
  await git(["update-index", "-z", "--add", "--index-info"], { env, input: lines.join("") });
}
