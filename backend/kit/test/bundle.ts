import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.ts";

/** The bundled backend, as in production. */
export const bundle = join(root, "dist/main.cjs");

/** Builds the bundle if it is older than a source: a test that is run alone must not test old code. */
export function buildIfStale(): void {
  const sources = globSync(["src/**/*.*", "kit/build/*.ts", "package*.json"], { cwd: root });
  const newest = Math.max(...sources.map((path) => changedAt(join(root, path))));
  if (newest > changedAt(bundle))
    execFileSync(process.execPath, ["kit/build/build.ts"], { cwd: root, stdio: "inherit" });
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
