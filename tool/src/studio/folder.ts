import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { Fault } from "../fault.ts";
import { createGit } from "../git.ts";
import { writeQuery } from "../new/query.ts";
import { isApplication, readAnyInput, readAnyRequest, writeAnyRequest } from "../new/services.ts";
import { readApplication } from "../publish/application.ts";
import type { ProjectState, RequestAnswer } from "./api.ts";

/**
 * The path of a folder below the studio's own. It may not exist yet; then the part that exists counts, whose links are
 * followed.
 */
export function resolveBelow(root: string, folder: string): string {
  const path = resolve(root, folder);
  if (isAbsolute(folder) || /[\0\n\r]/.test(folder) || !isBelow(root, followLinks(path)))
    throw new Fault("folder", `${JSON.stringify(folder)} is not below ${root}, where this studio may work.`);
  return path;
}

function followLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(followLinks(parent), path.slice(parent.length + 1));
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The folders right below that have a project. */
export function listProjects(root: string): string[] {
  try {
    const names = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names
      .map(({ name }) => name)
      .filter((name) => existsSync(join(root, name, "dory.json")))
      .sort()
      .slice(0, 100);
  } catch {
    return [];
  }
}

/** The project in a folder; null if there is none, or one that cannot be read. */
export async function readProject(root: string, folder: string): Promise<ProjectState | null> {
  const path = resolveBelow(root, folder);
  const document = readDocument(path);
  if (document === undefined) return null;
  const request = readAnyRequest(readAnyInput(document));
  if (isApplication(request)) return null;
  const { id: _, ...written } = writeAnyRequest(request);
  const git = createGit(path);
  const status = await git(["status", "--porcelain"]);
  const secrets = [...new Set(readApplication(path).services.flatMap((service) => service.secrets))];
  const known = { ...process.env, ...readEnv(path) };
  return {
    folder: relative(root, path) || ".",
    name: request.name,
    request: written as RequestAnswer,
    query: writeQuery(written),
    dory: String(document["dory"] ?? ""),
    secrets,
    knownSecrets: secrets.filter((name) => (known[name] ?? "").trim() !== ""),
    isInstalled: existsSync(join(path, "node_modules")),
    isDirty: status.code === 0 && status.stdout.trim() !== "",
    hasRepository: status.code === 0,
  };
}

function readDocument(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(join(path, "dory.json"), "utf8"));
  } catch {
    return undefined;
  }
}

/** The variables of the project on this machine. */
export function readEnv(path: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(join(path, ".env"), "utf8"));
  } catch {
    return {};
  }
}
