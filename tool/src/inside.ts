import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Whether a path is a folder or in it, once all links are followed. What does not exist yet is where it would be made. */
export function isInside(folder: string, path: string): boolean {
  try {
    return isBelow(realpathSync(folder), followLinks(resolve(path)));
  } catch {
    // A link that leads nowhere: later, it might lead anywhere.
    return false;
  }
}

function followLinks(path: string): string {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || path === dirname(path) ? realpathSync(path) : join(followLinks(dirname(path)), basename(path));
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
}
