import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Fault } from "../fault.ts";
import { isInside } from "../inside.ts";
import type { Given } from "../publish/allowed.ts";
import { readApplication } from "../publish/application.ts";
import { type BoundPlans, createBoundPlans } from "../publish/bound-plan.ts";
import { readEnvFile } from "../publish/secrets.ts";

/** What the tools of one program share. */
export interface Session {
  plans: BoundPlans;
  /** A file below the folder that the program was started in. */
  resolveFile(path: string): string;
  /** A folder below it, which may be that of a project. */
  resolveFolder(path: string): string;
  /** Where the values of a project's secrets come from: its `.env`, and variables that the person who started it allowed. */
  readGiven(folder: string): Given;
  /** Variables in the `.env` of a project. */
  readEnv(folder: string): NodeJS.ProcessEnv;
  /** The value of a variable of the environment, if the person who started the program allowed it. */
  readAllowed(name: string): string | undefined;
  /** Works in a folder after what was begun there before. */
  inTurn<T>(folder: string, work: () => Promise<T>): Promise<T>;
}

/** `allowed` are variables of the environment that projects may have as secrets. */
export function createSession(root: string, allowed: string[]): Session {
  const last = new Map<string, Promise<unknown>>();
  const resolveFile = (path: string) => {
    const found = resolve(root, path);
    if (isInside(root, found)) return found;
    throw new Fault(
      "outside",
      `${path} is not in ${root}. Name a folder below it, or start dory mcp in the folder that you mean.`,
    );
  };
  const readEnv = (folder: string) => {
    const path = resolveFile(join(folder, ".env"));
    return existsSync(path) ? readEnvFile(path) : {};
  };
  return {
    plans: createBoundPlans(),
    resolveFile,
    resolveFolder(path) {
      const folder = resolveFile(path);
      // It may be a link to any file.
      resolveFile(join(folder, "dory.json"));
      return folder;
    },
    readEnv,
    readGiven(folder) {
      const declared = readApplication(folder).services.flatMap(({ secrets }) => secrets);
      return { files: readEnv(folder), allowed: allowed.filter((name) => declared.includes(name)) };
    },
    readAllowed: (name) => (allowed.includes(name) ? process.env[name] : undefined),
    inTurn(folder, work) {
      const result = (last.get(folder) ?? Promise.resolve()).then(work);
      last.set(
        folder,
        result.catch(() => {}),
      );
      return result;
    },
  };
}
