import { join } from "node:path";
import type { Backend } from "../backend.ts";
import type { Backends } from "./backends.ts";
import type { Events } from "./events.ts";
import { resolveBelow } from "./folder.ts";
import type { Jobs } from "./jobs.ts";
import type { Publishing } from "./publishing.ts";

/** What the routes work with. */
export interface Studio {
  folder: string;
  events: Events;
  jobs: Jobs;
  backends: Backends;
  publishing: Publishing;
  loadBackend(): Backend;
  /** The project's folder, below `folder`. */
  place: string;
}

/** Shows another project below the studio's folder. */
export function openProject(studio: Studio, folder: string): void {
  resolveBelow(studio.folder, folder);
  if (folder !== studio.place) studio.publishing.forget();
  studio.place = folder;
  studio.events.add({ type: "state" });
}

/** The path of the project that is shown. */
export const findProject = ({ folder, place }: Studio) => join(folder, place);
