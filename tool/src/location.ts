import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where a command runs: in a project, an application, or a service of an application. */
export interface Location {
  /** Where its `dory.json` is. */
  folder: string;
  /** The service, if the command runs in the folder of one. */
  service?: string;
}

export function findLocation(path: string): Location {
  const folder = resolve(path);
  const [parent, service] = [dirname(folder), basename(folder)];
  const isService = !existsSync(join(folder, "dory.json")) && readServices(parent).includes(service);
  return isService ? { folder: parent, service } : { folder };
}

/** The services that `dory new` made in an application. */
function readServices(folder: string): string[] {
  try {
    const { services = {} } = JSON.parse(readFileSync(join(folder, "dory.json"), "utf8"));
    return Object.keys(services).filter((name) => services[name]?.framework !== undefined);
  } catch {
    return [];
  }
}
