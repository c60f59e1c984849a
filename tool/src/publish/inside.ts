import { relative, resolve } from "node:path";
import { Fault } from "../fault.ts";
import { isInside } from "../inside.ts";

/** The path, which must be in a project's folder, also if it is a link: what is built and sent must belong to it. */
export function resolveInside(project: string, path: string): string {
  const found = resolve(project, path);
  const isWritten = relative(resolve(project), found).split(/[\\/]/)[0] !== "..";
  if (isWritten && isInside(project, found)) return found;
  throw new Fault(
    "outside",
    `${path} is outside of the project ${resolve(project)}. Move it into the project's folder.`,
  );
}
