import type { Server } from "node:http";
import type { Backend } from "../backend.ts";
import { unevenFault } from "../change/replacement.ts";
import { watchPrograms } from "../execute.ts";
import { Fault } from "../fault.ts";
import { version } from "../version.ts";
import type { JobRequest, OpenRequest, ProjectState, SendRequest, State } from "./api.ts";
import { Backends } from "./backends.ts";
import { readDocument } from "./document.ts";
import { Events } from "./events.ts";
import { listProjects, readProject } from "./folder.ts";
import { answerHelp, expectText, generate, notFound } from "./generator.ts";
import {
  type Answer,
  type Asked,
  answerJson,
  answerText,
  HttpFault,
  isBrowser,
  readAnyJson,
  readJson,
  refuseMethod,
} from "./http.ts";
import { createJob } from "./job-kinds.ts";
import { Jobs } from "./jobs.ts";
import { readOptions } from "./options.ts";
import { loadPage } from "./page.ts";
import { type Ends, refuseOtherUsers } from "./peer.ts";
import { printCommand } from "./preview.ts";
import { createProjects } from "./projects.ts";
import { Publishing } from "./publishing.ts";
import { send } from "./send.ts";
import { createStudioServer, type Stream } from "./server.ts";
import { checkOrigin, Sessions } from "./session.ts";
import { startWatchdog } from "./watchdog.ts";
import { openProject, type Studio } from "./workplace.ts";

export interface LocalStudio {
  server: Server;
  /** The address that opens it next, once. */
  printAddress(): string;
  /** Ends everything that it has started. */
  close(): Promise<void>;
}

export interface Setting {
  /** The folder that the studio may work in. */
  folder: string;
  loadBackend(): Backend;
  /** Packages that the projects in temporary folders share, in this repository. */
  packages?: string | undefined;
  /** Where the page was built. */
  page?: string | undefined;
  /** Called with a new address when the last one was used. */
  announce(address: string): void;
}

/** The studio of one person on this machine. */
export async function createLocalStudio(setting: Setting): Promise<LocalStudio> {
  const { folder, loadBackend, announce } = setting;
  const generator = { projects: createProjects(loadBackend), options: await readOptions(), isPublic: false };
  const page = loadPage(setting.page);
  const events = new Events();
  const studio: Studio = {
    folder,
    events,
    jobs: new Jobs(events),
    backends: new Backends(events, loadBackend, setting.packages),
    publishing: new Publishing(events, folder),
    loadBackend,
    place: ".",
  };
  const watchdog = startWatchdog();
  watchPrograms(watchdog);
  const sessions = new Sessions(() => announce(printAddress()));
  const server = createStudioServer({
    maxConnections: 256,
    guard: (asked) => checkOrigin(asked, findPort(server)),
    async answer(asked, { socket }) {
      const { pathname } = asked.url;
      if (pathname === "/") return answerRoot(asked, socket);
      const asset = page.answerAsset(asked);
      if (asset) return asset;
      if (pathname.startsWith("/api/")) sessions.expectOpen(asked);
      return (await answerApi(studio, asked)) ?? (await generate(generator, asked)) ?? notFound();
    },
  });

  async function answerRoot(asked: Asked, ends: Ends): Promise<Answer> {
    if (asked.method !== "GET") refuseMethod("GET, HEAD");
    if (asked.url.searchParams.has("token")) refuseOtherUsers(ends);
    const opened = sessions.open(asked);
    if (opened) return opened;
    if (!isBrowser(asked)) return answerHelp(asked, generator.options);
    if (!sessions.isOpen(asked))
      return answerText("This browser has not opened the studio. Open the address that dory studio printed.\n", 401);
    const state = await readState(studio);
    const command = printCommand(asked.url.search || (state.project?.query ?? ""), false);
    return page.answerPage({ options: generator.options, state, command });
  }

  const findPort = (server: Server) => (server.address() as { port: number } | null)?.port ?? 0;
  const printAddress = () => `http://127.0.0.1:${findPort(server)}/?token=${sessions.token}`;
  return {
    server,
    printAddress,
    async close() {
      events.close();
      await studio.jobs.close();
      await studio.backends.close();
      watchdog.close();
    },
  };
}

/** The routes of the page's own interface. Undefined if the path is none of them. */
async function answerApi(studio: Studio, asked: Asked): Promise<Answer | Stream | undefined> {
  const { method, url, headers } = asked;
  const [, job] = /^\/api\/jobs\/(\w+)$/.exec(url.pathname) ?? [];
  if (job !== undefined) {
    if (method !== "DELETE") refuseMethod("DELETE");
    studio.jobs.cancel(job);
    return { status: 204, headers: {}, body: "" };
  }
  const route = `${method} ${url.pathname}`;
  switch (route) {
    case "GET /api/state":
      return answerJson(await readState(studio));
    case "GET /api/events":
      return studio.events.follow(readAfter(asked));
    case "GET /api/openapi":
      return answerJson(readDocument(studio.backends.expect(url.searchParams.get("backend") ?? "").folder));
    case "POST /api/project": {
      const { folder } = await readJson<Partial<OpenRequest>>(asked);
      openProject(studio, expectText("folder", folder));
      return answerJson(await readState(studio));
    }
    case "POST /api/jobs": {
      const started = studio.jobs.start(await createJob(studio, (await readAnyJson(asked)) as JobRequest));
      return answerJson({ id: started.id }, 202);
    }
    case "POST /api/send": {
      const sent = await readJson<SendRequest>(asked);
      return answerJson(
        await send(studio.backends.expectRunning(expectText("backend", sent.backend)).url, checkSent(sent)),
      );
    }
  }
  const methods = ["GET", "POST"].filter((one) => apiRoutes.includes(`${one} ${url.pathname}`));
  return methods.length > 0
    ? refuseMethod(methods.map((one) => (one === "GET" ? "GET, HEAD" : one)).join(", "))
    : undefined;

  function readAfter({ url }: Asked): number {
    return Number(headers["last-event-id"] ?? url.searchParams.get("after") ?? 0) || 0;
  }
}

const apiRoutes = [
  "GET /api/state",
  "GET /api/events",
  "GET /api/openapi",
  "POST /api/project",
  "POST /api/jobs",
  "POST /api/send",
];

function checkSent(sent: SendRequest): SendRequest {
  const { headers = {}, body } = sent;
  const isText = (value: unknown) => typeof value === "string";
  if (
    typeof headers !== "object" ||
    headers === null ||
    !Object.values(headers).every(isText) ||
    !(body === undefined || isText(body))
  )
    throw new HttpFault({ status: 400, code: "request", detail: '"headers" are texts by name, and "body" is a text.' });
  return { ...sent, headers, method: expectText("method", sent.method), path: expectText("path", sent.path) };
}

async function readState(studio: Studio): Promise<State> {
  const { folder, place, events, jobs, backends, publishing } = studio;
  const { project = null, fault = null } = await attemptRead(folder, place);
  return {
    mode: "local",
    version,
    folder,
    project,
    projectFault: fault,
    projects: listProjects(folder),
    backends: backends.list(),
    jobs: jobs.list(),
    releases: publishing.releases,
    plan: publishing.plan,
    lastEvent: events.last,
  };
}

/** A project by others may be anything: the page then says what is wrong with it. */
async function attemptRead(folder: string, place: string): Promise<{ project?: ProjectState | null; fault?: string }> {
  try {
    const project = await readProject(folder, place);
    return project?.query === "" ? { project, fault: unevenFault(project.name).message } : { project };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { fault: error.message };
  }
}
