import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { loadBackend } from "../backend.ts";
import { Fault } from "../fault.ts";
import type { Reporter } from "../progress.ts";
import { createProjectId } from "../project-id.ts";
import { filesFor } from "./application.ts";
import { ownNode } from "./own-node.ts";
import { printAnyEnv } from "./print/application/env.ts";
import { commitAll, npmInstall, quote } from "./programs.ts";
import { readFolder } from "./request.ts";
import { type AnyInput, type AnyRequest, readAnyRequest } from "./services.ts";
import type { Files } from "./slice/slice.ts";
import { writeProject } from "./write.ts";

/** A project that is not written yet. */
export interface Project {
  request: AnyRequest;
  /** Where it is made, as it was asked for. */
  path: string;
  files: Files;
  /** Files for this machine alone, with random values. */
  secrets: Files;
}

/** Reads the request, and makes all files in memory. */
export function prepareProject(input: AnyInput, load = loadBackend): Project {
  const request = readAnyRequest({ node: ownNode, ...input, id: createProjectId() });
  const path = readFolder(input.folder ?? request.name);
  return { request, path, files: filesFor(request, load()), secrets: createSecrets(request) };
}

/** The paths of all files that are written. */
export const listPaths = ({ files, secrets }: Project) => [...files.keys(), ...secrets.keys()];

/** Writes a project, installs its packages and commits it. Returns its folder. If it is interrupted, nothing is left. */
export async function makeProject(
  project: Project,
  { install, git }: { install: boolean; git: boolean },
  reporter: Reporter,
): Promise<string> {
  const { path, files, secrets } = project;
  const { say, interrupted } = reporter;
  const folder = writeProject(resolve(path), files, secrets);
  try {
    say(`Made ${folder.path}: ${listPaths(project).length} files`);
    for (const path of secrets.keys())
      say(`${path} is for this machine: it is not committed and not part of an image.`);
    if (install) await installPackages(folder.path, reporter);
    if (git) await commitAll(folder.path, files, say, interrupted);
    if (interrupted.aborted) throw new Fault("interrupted", "Interrupted.");
    return folder.path;
  } catch (error) {
    if (!(error instanceof Fault && error.code === "interrupted")) throw error;
    folder.remove();
    throw new Fault("interrupted", "Interrupted: nothing was made.");
  }
}

/** If npm fails, the project stays, and the message says how to continue. */
async function installPackages(path: string, reporter: Reporter): Promise<void> {
  const reason = await npmInstall(path, reporter);
  if (reason === undefined) return;
  const next = `Continue with: cd ${quote(path)} && npm install`;
  throw new Fault("npm_install", `The project is made, but npm install failed:\n${reason}\n${next}`);
}

/** The only files with random values, which differ each time. */
function createSecrets(request: AnyRequest): Files {
  const text = printAnyEnv(request, () => randomBytes(32).toString("hex"));
  return new Map(text === "" ? [] : [[".env", text]]);
}
