import { createHash } from "node:crypto";
import { version } from "../version.ts";
import type { Files } from "./slice/slice.ts";

/** npm makes it, from what a machine can reach: no part of what a request determines. */
export const lockFile = "package-lock.json";

/** Whether a path, or a line that ends with one, names a lock file: a project has one, an application one for each service too. */
export const isLock = (path: string) => new RegExp(`(^|[/\\t])${lockFile}$`).test(path);

/** The last line of a pristine commit's message: which Dory made exactly these files. By it the commit is found again. */
export function trailerFor(files: Files): string {
  return `Dory: ${version} ${fingerprintOf(files)}`;
}

/** Tells projects apart, the request in `dory.json` included. */
export function fingerprintOf(files: Files): string {
  const hash = createHash("sha256");
  const own = [...files].filter(([path]) => !isLock(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, text] of own) hash.update(`${path}\0${Buffer.byteLength(text)}\0${text}`);
  return hash.digest("hex");
}
