import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault } from "../fault.ts";
import { endPrograms } from "./programs.ts";
import type { Files } from "./slice/slice.ts";

/** A new project's folder. Until it is kept, an interruption removes it. */
export interface Folder {
  path: string;
  keep(): void;
}

/** Writes a project beside its place and moves it there: it is whole, or it is not there. Secrets are its owner's alone. */
export async function writeProject(name: string, files: Files, secrets: Files): Promise<Folder> {
  const path = resolve(name);
  if (existsSync(path) && (!isFolder(path) || readdirSync(path).length > 0))
    throw new Fault("folder_not_empty", `${path} exists and is not an empty folder. Choose another name, or empty it.`);
  const beside = join(dirname(path), `.${name}-${randomUUID()}`);
  try {
    mkdirSync(beside);
    writeFiles(beside, files);
    for (const [file, text] of secrets) writeFileSync(join(beside, file), text, { mode: 0o600 });
    if (existsSync(path)) rmdirSync(path);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault("cannot_write", `${path} cannot be written: ${reasons[code ?? ""] ?? code}.`);
  }
  return removedOnInterrupt(path);
}

/** Writes files into a folder, and the folders that they are in. */
export function writeFiles(folder: string, files: Iterable<[path: string, text: string]>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function removedOnInterrupt(path: string): Folder {
  const remove = async () => {
    await endPrograms();
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    console.error("\nInterrupted: nothing was made.");
    process.exit(130);
  };
  process.on("SIGINT", remove).on("SIGTERM", remove);
  return { path, keep: () => void process.off("SIGINT", remove).off("SIGTERM", remove) };
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

const reasons: Record<string, string> = {
  EACCES: "no permission; choose a folder that you may write to",
  EPERM: "no permission; choose a folder that you may write to",
  EROFS: "the disk is read-only; choose another folder",
  ENOSPC: "the disk is full; free some space and try again",
  ENOENT: "no files can be made there; choose another folder",
  ENOTDIR: "a part of the path is a file; choose another folder",
};
