import { createHash } from "node:crypto";
import { version } from "../version.ts";
import type { Files } from "./slice/slice.ts";

/** npm makes it, so it is not part of a pristine project. */
export const lockFile = "package-lock.json";

/** Whether a path, or a line that ends with one, is that of a lock file, also in a service's folder. */
export const isLock = (path: string) => new RegExp(`(^|[/\\t])${lockFile}$`).test(path);

/** The last line of a pristine commit's message, which marks it: the version of Dory and the fingerprint. */
export function printTrailer(files: Files): string {
  return `Dory: ${version} ${hashFiles(files)}`;
}

/** A hash of all files except lock files. */
export function hashFiles(files: Files): string {
  const hash = createHash("sha256");
  const own = [...files].filter(([path]) => !isLock(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, text] of own) hash.update(`${path}\0${Buffer.byteLength(text)}\0${text}`);
  return hash.digest("hex");
}
