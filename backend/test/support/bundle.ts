import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dirname, "../..");

/** The bundled backend, as in production. */
export const bundle = join(project, "dist/main.cjs");

/** Builds the bundle if it is older than a source: a test that is run alone must not test old code. */
export function buildIfStale(): void {
  const sources = globSync(["src/**/*.*", "*.ts", "package*.json"], { cwd: project });
  const newest = Math.max(...sources.map((path) => changedAt(join(project, path))));
  if (newest > changedAt(bundle)) execFileSync(process.execPath, ["build.ts"], { cwd: project, stdio: "inherit" });
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
