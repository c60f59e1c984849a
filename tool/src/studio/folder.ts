import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import { Fault } from "../fault.ts";
import { createGit } from "../git.ts";
import { isInside } from "../inside.ts";
import { writeQuery } from "../new/query.ts";
import {
  gatherShared,
  isApplication,
  isPlain,
  readAnyInput,
  readAnyRequest,
  writeAnyRequest,
} from "../new/services.ts";
import { readApplication } from "../publish/application.ts";
import { readEnvFile } from "../publish/secrets.ts";
import type { ProjectState, RequestAnswer } from "./api.ts";

/** The path of a folder below the studio's own, which may not exist yet. */
export function resolveBelow(root: string, folder: string): string {
  const path = resolve(root, folder);
  if (isAbsolute(folder) || /[\0\n\r]/.test(folder) || !isInside(root, path))
    throw new Fault("folder", `${JSON.stringify(folder)} is not below ${root}, where this studio may work.`);
  return path;
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

/** The project in a folder; null if there is none. */
export async function readProject(root: string, folder: string): Promise<ProjectState | null> {
  const path = resolveBelow(root, folder);
  // It may be a link to any file.
  resolveBelow(root, join(folder, "dory.json"));
  const document = readDocument(path);
  if (document === undefined) return null;
  const request = readAnyRequest(readAnyInput(document));
  const folders = isApplication(request) ? request.services.map(({ name }) => join(path, name)) : [path];
  const { id: _, ...written } = gatherShared(writeAnyRequest(request));
  const git = createGit(path);
  const status = await git(["status", "--porcelain"]);
  const secrets = [...new Set(readApplication(path).services.flatMap((service) => service.secrets))];
  const known = attemptSecrets(root, path);
  return {
    folder: relative(root, path) || ".",
    name: request.name,
    request: written as RequestAnswer,
    query: isPlain(written) ? writeQuery(written) : "",
    dory: String(document["dory"] ?? ""),
    secrets,
    knownSecrets: secrets.filter((name) => hasValue(known[name])),
    environmentSecrets: secrets.filter((name) => known[name] === undefined && hasValue(process.env[name])),
    isInstalled: folders.every((folder) => existsSync(join(folder, "node_modules"))),
    isDirty: status.code === 0 && status.stdout.trim() !== "",
    hasRepository: status.code === 0,
  };
}

const hasValue = (text = "") => text.trim() !== "";

function readDocument(path: string): Record<string, unknown> | undefined {
  const file = join(path, "dory.json");
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Fault("application", `${file} is not valid JSON: ${(error as Error).message}.`);
  }
}

/** Values for publishing, of the `.env` of a project. What is unclear in it is refused: the values leave this machine. */
export function readSecrets(root: string, path: string): NodeJS.ProcessEnv {
  const file = join(path, ".env");
  if (!existsSync(file)) return {};
  if (isInside(root, file)) return readEnvFile(file);
  throw new Fault("outside", `${file} is a link out of ${root}, where this studio may work. Type the values instead.`);
}

/** A plan says what is wrong. */
function attemptSecrets(root: string, path: string): NodeJS.ProcessEnv {
  try {
    return readSecrets(root, path);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {};
  }
}

/** The variables of a backend that runs here, as its Node reads them. */
export function readEnv(path: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(join(path, ".env"), "utf8"));
  } catch {
    return {};
  }
}
