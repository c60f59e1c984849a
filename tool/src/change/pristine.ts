import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import valid from "semver/functions/valid.js";
import { Fault } from "../fault.ts";
import { type AnyRequest, readAnyInput, readAnyRequest } from "../new/services.ts";
import type { Files } from "../new/slice/slice.ts";
import { hashFiles, isLock, printTrailer } from "../new/trailer.ts";
import { writeFiles } from "../new/write.ts";
import type { Repository } from "./git.ts";

/** A commit whose message names the version of Dory and the fingerprint of the project that it made. */
export interface Mark {
  commit: string;
  version: string;
  fingerprint: string;
}

/** The marks in a history. */
export interface Marks {
  /** The last pristine commits: one, or more if clones were changed separately. */
  heads: Mark[];
  /** Commits with a mark but other files, from a rebase or squash. The newest first. */
  rewritten: Mark[];
}

/** Finds pristine commits among the ancestors of HEAD. */
export async function findMarks(repository: Repository): Promise<Marks> {
  const rewritten: Mark[] = [];
  const heads: Mark[] = [];
  const covered = new Set<string>();
  const known = new Set<string>();
  for (const { parents, ...mark } of await readMarks(repository)) {
    const isPristine = covered.has(mark.commit) || (await hasOnly(repository, mark.commit, mark.fingerprint));
    if (!isPristine) rewritten.push(...((await isOfOther(repository, mark.commit)) ? [] : [mark]));
    else if (!covered.has(mark.commit)) heads.push(mark);
    if (isPristine) known.add(mark.fingerprint);
    for (const parent of isPristine ? parents : []) covered.add(parent);
  }
  return { heads, rewritten: rewritten.filter(({ fingerprint }) => !known.has(fingerprint)) };
}

/** Whether a commit is about another project of the repository. */
async function isOfOther({ git, prefix }: Repository, commit: string): Promise<boolean> {
  if (prefix === "") return false;
  const args = ["-1", "-m", "--first-parent", "--format=", "--name-only", commit, "--", `:(top,literal)${prefix}`];
  return (await git(["log", ...args])).trim() === "";
}

/** Every mark in the history, each commit before its parents. A squash may leave several in one message. */
async function readMarks({ git }: Repository): Promise<(Mark & { parents: string[] })[]> {
  const format = "--format=%x01%H %P%x00%B";
  const text = await git(["log", "--topo-order", format, "--extended-regexp", "--grep=Dory: [0-9]", "HEAD"]);
  return text.split("\x01").flatMap((entry) => {
    const [ids = "", message = ""] = entry.split("\0");
    const [commit = "", ...parents] = ids.split(" ");
    const marks = [...message.matchAll(/^\W*Dory: (\d[\w.+-]*) ([\da-f]{64})$/gm)].reverse();
    return marks
      .map(([, version = "", fingerprint = ""]) => ({ commit, parents, version, fingerprint }))
      .filter(({ version }) => valid(version));
  });
}

/** Whether a commit has the files of a project and no others: a merge would delete other files. */
export async function hasOnly(
  { git, listTree, prefix }: Repository,
  commit: string,
  fingerprint: string,
): Promise<boolean> {
  const entries = (await listTree(commit)).map((line) => {
    const [, id = "", path = ""] = /^\d+ \w+ ([\da-f]+)\t([\s\S]*)$/.exec(line) ?? [];
    return { id, path };
  });
  // No project has so many files; this avoids reading large repositories.
  if (entries.length > 5000 || !entries.every(({ path }) => path.startsWith(prefix))) return false;
  const input = entries.map(({ id }) => `${id}\n`).join("");
  const content = Buffer.from(await git(["cat-file", "--batch"], { input }));
  let at = 0;
  const files = entries.map(({ path }): [string, string] => {
    const start = content.indexOf("\n", at) + 1;
    const size = Number(content.toString("utf8", at, start).split(" ")[2]);
    at = start + size + 1;
    return [path.slice(prefix.length), content.toString("utf8", start, start + size)];
  });
  return hashFiles(new Map(files)) === fingerprint;
}

/** The text of `dory.json` in a commit, if there is one. */
export async function readDoryJson({ tryGit, prefix }: Repository, commit: string): Promise<string | undefined> {
  const { code, stdout } = await tryGit(["cat-file", "blob", `${commit}:${prefix}dory.json`]);
  return code === 0 ? stdout : undefined;
}

/** The request that a project records. */
export function readRequestText(text: string | undefined): AnyRequest {
  if (text === undefined)
    throw new Fault(
      "no_project",
      "No commit has a dory.json in this folder. Go to the project's folder, or commit dory.json.",
    );
  try {
    return readAnyRequest(readAnyInput(JSON.parse(text)));
  } catch (error) {
    const reason = error instanceof Fault ? error.message : "It is not JSON.";
    throw new Fault("dory_json", `The request in dory.json cannot be read. ${reason}`);
  }
}

/** Makes a pristine commit. It keeps the last lock files, so that a merge never changes them. */
export async function commitPristine(
  repository: Repository,
  files: Files,
  subject: string,
  parents: string[],
): Promise<string> {
  const [last] = parents;
  const locks = last === undefined ? "" : await readLocks(repository, last);
  const tree = await writeTree(repository, files, locks);
  return commitTree(repository, tree, parents, `${subject}\n\n${printTrailer(files)}\n`);
}

export async function commitTree(
  repository: Repository,
  tree: string,
  parents: string[],
  message: string,
): Promise<string> {
  const { before, after } = repository.authorship;
  const args = [...parents.flatMap((parent) => ["-p", parent]), ...after, "-F", "-", tree];
  return (await repository.git([...before, "commit-tree", ...args], { input: message })).trim();
}

/** The index lines for the lock files of a pristine commit. */
async function readLocks({ listTree }: Repository, commit: string): Promise<string> {
  const lines = (await listTree(commit)).filter(isLock);
  return lines.map((line) => `${line.replace(" blob ", " ")}\n`).join("");
}

async function writeTree(repository: Repository, files: Files, locks: string): Promise<string> {
  const { git, prefix, head } = repository;
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const blobs = [...files].map(([path, text]) => ({ path, text, id: hashBlob(text, head.length) }));
    const ids = blobs.map(({ id }) => `${id}\n`).join("");
    const known = (await git(["cat-file", "--batch-check"], { input: ids })).split("\n");
    // Most files are in the repository already.
    const missing = blobs.filter((_, index) => known[index]?.endsWith(" missing"));
    writeFiles(
      folder,
      missing.map(({ path, text }): [string, string] => [path, text]),
    );
    const input = missing.map(({ path }) => `${join(folder, path)}\n`).join("");
    await git(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input });
    const lines = blobs.map(({ path, id }) => `100644 ${id}\t${prefix}${path}\n`);
    const env = { GIT_INDEX_FILE: join(folder, ".index") };
    await git(["update-index", "--add", "--index-info"], { input: lines.join("") + locks, env });
    return (await git(["write-tree"], { env })).trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The id of a text in a git repository whose ids have this length. */
function hashBlob(text: string, length: number): string {
  const hash = createHash(length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${Buffer.byteLength(text)}\0${text}`).digest("hex");
}
