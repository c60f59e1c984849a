import type { Server } from "node:http";
import type { Backend } from "../backend.ts";
import { version } from "../version.ts";
import type { State } from "./api.ts";
import { answerHelp, generate, notFound } from "./generator.ts";
import { answerJson, isBrowser, refuseMethod } from "./http.ts";
import { readOptions } from "./options.ts";
import { loadPage } from "./page.ts";
import { printCommand } from "./preview.ts";
import { createProjects } from "./projects.ts";
import { createRateLimit, findAddress } from "./rate.ts";
import { createStudioServer } from "./server.ts";

export interface PublicSetting {
  loadBackend(): Backend;
  /** The requests of one address in a minute. */
  perMinute: number;
  /** Where the page was built. */
  page?: string | undefined;
}

/** A generator for everyone: it chooses, shows, compares and packs, and has neither a disk nor programs. */
export async function createPublicStudio({ loadBackend, perMinute, page: folder }: PublicSetting): Promise<Server> {
  const generator = { projects: createProjects(loadBackend), options: await readOptions(), isPublic: true };
  const page = loadPage(folder);
  const limit = createRateLimit(perMinute);
  return createStudioServer({
    maxConnections: 10_000,
    guard({ url }, message) {
      if (url.pathname !== "/health") limit(findAddress(message));
    },
    async answer(asked) {
      const { pathname } = asked.url;
      const isRoute = pathname === "/" || pathname === "/api/state";
      if (isRoute && asked.method !== "GET") refuseMethod("GET, HEAD");
      if (pathname === "/api/state") return answerJson(publicState);
      if (pathname === "/")
        return isBrowser(asked)
          ? page.answerPage({
              options: generator.options,
              state: publicState,
              command: printCommand(asked.url.search, true),
            })
          : answerHelp(asked, generator.options);
      return (await generate(generator, asked)) ?? page.answerAsset(asked) ?? notFound();
    },
  });
}

export const publicState: State = {
  mode: "public",
  version,
  folder: "",
  project: null,
  projectFault: null,
  projects: [],
  backends: [],
  jobs: [],
  releases: {},
  plan: null,
  lastEvent: 0,
};
