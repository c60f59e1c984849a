import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** What a folder is: a project, an application, or the service of one. */
export interface Place {
  /** Where its `dory.json` is. */
  folder: string;
  /** The service whose folder it is. */
  service?: string;
}

export function placeOf(path: string): Place {
  const folder = resolve(path);
  const [parent, service] = [dirname(folder), basename(folder)];
  const isService = !existsSync(join(folder, "dory.json")) && madeIn(parent).includes(service);
  return isService ? { folder: parent, service } : { folder };
}

/** The services that were made with the application in a folder. */
function madeIn(folder: string): string[] {
  try {
    const { services = {} } = JSON.parse(readFileSync(join(folder, "dory.json"), "utf8"));
    return Object.keys(services).filter((name) => services[name]?.framework !== undefined);
  } catch {
    return [];
  }
}
