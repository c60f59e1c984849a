import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { runBuild } from "../build/build.ts";
import { root } from "../project.ts";

/** The bundled backend, as in production. */
export const bundleFile = join(root, "dist/main.cjs");

let building: Promise<void> | undefined;

/** Builds the bundle if it is older than a source: a test that is run alone must not test old code. */
export async function buildIfStale(): Promise<void> {
  const sources = globSync(["src/**/*.*", "kit/build/*.ts", ".dory/*", "package*.json"], { cwd: root });
  const newest = Math.max(...sources.map((path) => changedAt(join(root, path))));
  if (newest <= changedAt(bundleFile)) return;
  building ??= runBuild([]).finally(() => {
    building = undefined;
  });
  await building;
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
