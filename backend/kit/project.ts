import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { frameworks } from "../src/frameworks/names.ts";

/** The folder of the project that this file is a part of. */
export const root = join(import.meta.dirname, "..");

/** Whether the project has a file or folder. */
export const has = (path: string) => existsSync(join(root, path));

/** Loads a file of the project. Imports would copy it from the backend: these tools are the same for all projects. */
export function load<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(root, path)).href);
}

/** Whether the project has a feature, like `auth`. */
export const hasFeature = (name: string) => has(`src/core/features/${name}`);

/** The project's framework. The repository has all of them: there `FRAMEWORK` names one, or the folder of the test. */
export function findFramework(): string {
  const own = frameworks.find((name) => has(`src/core/${name}`));
  const [, tested] = /\/test\/frameworks\/(\w+)\//.exec(process.argv[1] ?? "") ?? [];
  return own ?? tested ?? process.env["FRAMEWORK"] ?? "hono";
}
