import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "../fault.ts";
import type { Files } from "./slice/slice.ts";

/** A new project's folder, as long as it can be removed again. */
export interface Folder {
  path: string;
  remove(): void;
}

/** Writes a project to a temporary folder and renames it, so it is never incomplete. Only the owner reads secrets. */
export function writeProject(path: string, files: Files, secrets: Files): Folder {
  const before = listEntries(path);
  if (before?.some((name) => name !== ".git"))
    throw new Fault("folder_not_empty", `${path} exists and is not an empty folder. Choose another name, or empty it.`);
  // An existing folder is not replaced: it may be the working directory of a shell.
  const temporary = join(before ? path : dirname(path), `.${basename(path)}-${randomUUID()}`);
  let parents: string | undefined;
  const remove = () => removeAll([temporary, ...listOwnPaths(path, before)], dirname(path), parents);
  try {
    parents = mkdirSync(dirname(temporary), { recursive: true });
    mkdirSync(temporary);
    writeFiles(temporary, files);
    for (const [file, text] of secrets) writeFileSync(join(temporary, file), text, { mode: 0o600 });
    if (before) moveContent(temporary, path);
    else renameSync(temporary, path);
  } catch (error) {
    remove();
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault("cannot_write", `${path} cannot be written: ${reasons[code ?? ""] ?? code}.`);
  }
  return { path, remove };
}

/** Writes files into a folder, and makes their folders. */
export function writeFiles(folder: string, files: Iterable<[path: string, text: string]>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The names in a folder; undefined if it does not exist. */
function listEntries(path: string): string[] | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readdirSync(path);
  } catch {
    return [path];
  }
}

function moveContent(from: string, to: string): void {
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name));
  rmdirSync(from);
}

/** The paths that this command made. */
function listOwnPaths(path: string, before: string[] | undefined): string[] {
  if (!before) return [path];
  const added = readdirSync(path).filter((name) => !before.includes(name));
  return added.map((name) => join(path, name));
}

/** Removes paths, and the parent folders that were made for them if they are empty. */
function removeAll(paths: string[], above: string, firstMade: string | undefined): void {
  for (const path of paths.filter(existsSync)) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  if (firstMade === undefined) return;
  try {
    for (let path = above; path.length >= firstMade.length; path = dirname(path)) rmdirSync(path);
  } catch {
    // A parent folder is not empty.
  }
}

const reasons: Record<string, string> = {
  EACCES: "no permission; choose a folder that you may write to",
  EPERM: "no permission; choose a folder that you may write to",
  EROFS: "the disk is read-only; choose another folder",
  ENOSPC: "the disk is full; free some space and try again",
  ENOENT: "files cannot be created there; choose another folder",
  ENOTDIR: "a part of the path is a file; choose another folder",
  EEXIST: "a part of the path is a file; choose another folder",
  ENAMETOOLONG: "the path is too long; choose a shorter one",
  ERR_INVALID_ARG_VALUE: "the path has invalid characters; choose another",
};
