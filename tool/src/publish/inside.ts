import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { Fault } from "../fault.ts";

/** The path, which must be in a project's folder, also if it is a link: what is built and sent must belong to it. */
export function resolveInside(project: string, path: string): string {
  const found = resolve(project, path);
  const isInside = isBelow(resolve(project), found) && isBelow(resolveLinks(project), resolveLinks(found));
  if (isInside) return found;
  throw new Fault(
    "outside",
    `${path} is outside of the project ${resolve(project)}. Move it into the project's folder.`,
  );
}

/** What does not exist is no link. */
const resolveLinks = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path));

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
}
