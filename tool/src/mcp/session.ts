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
  /** A folder below the one that the program was started in. */
  resolveFolder(path: string): string;
  /** Where the values of a project's secrets come from: its `.env`, and variables that the person who started it allowed. */
  readGiven(folder: string): Given;
  /** Variables in the `.env` of a project. */
  readEnv(folder: string): NodeJS.ProcessEnv;
  /** Works in a folder after what was begun there before. */
  inTurn<T>(folder: string, work: () => Promise<T>): Promise<T>;
}

/** `allowed` are variables of the environment that projects may have as secrets. */
export function createSession(root: string, allowed: string[]): Session {
  const last = new Map<string, Promise<unknown>>();
  const resolveFolder = (path: string) => {
    const found = resolve(root, path);
    if (isInside(root, found)) return found;
    throw new Fault(
      "outside",
      `${path} is not in ${root}. Name a folder below it, or start dory mcp in the folder that you mean.`,
    );
  };
  const readEnv = (folder: string) => {
    const path = resolveFolder(join(folder, ".env"));
    return existsSync(path) ? readEnvFile(path) : {};
  };
  return {
    plans: createBoundPlans(),
    resolveFolder,
    readEnv,
    readGiven(folder) {
      const declared = readApplication(folder).services.flatMap(({ secrets }) => secrets);
      return { files: readEnv(folder), allowed: allowed.filter((name) => declared.includes(name)) };
    },
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
