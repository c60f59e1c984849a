import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasBuildKit } from "./builder.ts";
import { readDockerignore } from "./dockerignore.ts";

/** The files that a build of this folder sends to the engine, by their paths in the folder. */
export function listContextFiles(folder: string, ignoreFile = ".dockerignore"): string[] {
  const path = join(folder, ignoreFile);
  const isIgnored = readDockerignore(existsSync(path) ? readFileSync(path, "utf8") : "");
  // An exception may include a file of an ignored folder, so every file is checked.
  const skipped = new Set([".git", "node_modules"].filter(isIgnored));
  return listFiles(folder, "", skipped).filter((file) => !isIgnored(file));
}

/** BuildKit prefers the ignore file that is named after the Dockerfile; the classic builder does not know it. */
export async function findIgnoreFile(folder: string): Promise<string> {
  const own = "Dockerfile.dockerignore";
  return existsSync(join(folder, own)) && (await hasBuildKit()) ? own : ".dockerignore";
}

function listFiles(folder: string, path: string, skipped: Set<string>): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(below) ? [] : listFiles(folder, below, skipped);
    return entry.isFile() ? [below] : [];
  });
}
