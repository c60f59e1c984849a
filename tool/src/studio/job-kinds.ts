import { join } from "node:path";
import { resourcesIn } from "../../../backend/kit/suite/document.ts";
import type { Edit } from "../change/edit.ts";
import { makeChange, previewFiles } from "../change/make.ts";
import { createReplacement } from "../change/replacement.ts";
import { Fault } from "../fault.ts";
import { checkIsolated } from "../isolated-check.ts";
import { makeProject, prepareProject } from "../new/make.ts";
import type { Request } from "../new/request.ts";
import { type AnyRequest, isApplication, readAnyInput, readAnyRequest, writeAnyRequest } from "../new/services.ts";
import type { Reporter } from "../progress.ts";
import { logsUsage, publishUsage, rollbackUsage, secretsUsage, unpublishUsage } from "../usage/publish.ts";
import type {
  BackendKey,
  ChangePreview,
  CheckSummary,
  JobKind,
  JobRequest,
  PublishOptions,
  RollbackOptions,
} from "./api.ts";
import { readQueryRequest } from "./ask.ts";
import { runBench } from "./bench.ts";
import { readDocument } from "./document.ts";
import { readEnv, readProject, resolveBelow } from "./folder.ts";
import { expectText } from "./generator.ts";
import { HttpFault } from "./http.ts";
import type { NewJob, Working } from "./jobs.ts";
import { readForm } from "./publish-form.ts";
import { findProject, openProject, type Studio } from "./workplace.ts";

type Create<K extends JobKind> = (
  studio: Studio,
  request: Extract<JobRequest, { kind: K }>,
) => Omit<NewJob, "kind"> | Promise<Omit<NewJob, "kind">>;

/** Checks what the page asks for, and says how it is done. */
export async function createJob(studio: Studio, request: JobRequest): Promise<NewJob> {
  const kind = expectText("kind", request?.kind) as JobKind;
  const create = Object.hasOwn(kinds, kind) ? (kinds[kind] as Create<JobKind>) : undefined;
  if (!create) {
    const detail = `There is no job "${kind}". Choose from: ${Object.keys(kinds).join(", ")}.`;
    throw new HttpFault({ status: 400, code: "unknown_job", detail, parameter: "kind" });
  }
  return { kind, ...(await create(studio, request)) };
}

const kinds: { [K in JobKind]: Create<K> } = {
  create(studio, { query, folder }) {
    const request = readChoices(query);
    const place = folder === undefined ? request.name : expectText("folder", folder);
    const path = resolveBelow(studio.folder, place);
    return {
      about: place,
      lock: "project",
      async work(working) {
        const project = prepareProject({ ...writeAnyRequest(request), folder: path }, studio.loadBackend);
        try {
          await makeProject(project, { install: true, git: true }, toReporter(working));
        } catch (error) {
          // If npm fails, the project is there all the same.
          if (error instanceof Fault && error.code === "npm_install") openProject(studio, place);
          throw error;
        }
        openProject(studio, place);
        return { folder: place };
      },
    };
  },
  "preview-change": (studio, { query }) => {
    const request = readChoices(query);
    return {
      about: null,
      lock: null,
      work: async () => previewFiles(findProject(studio), await createEdit(studio, request), studio.loadBackend),
    };
  },
  change(studio, { query }) {
    const request = readChoices(query);
    return {
      about: null,
      lock: "project",
      async work(working) {
        const edit = await createEdit(studio, request);
        const preview: ChangePreview = await previewFiles(findProject(studio), edit, studio.loadBackend);
        const how = { ...toReporter(working), install: true };
        const tell = () => studio.events.add({ type: "state" });
        await makeChange(findProject(studio), edit, how, studio.loadBackend).finally(tell);
        return preview;
      },
    };
  },
  async start(studio, { backend, query }) {
    const key = readKey(backend);
    const own = query === undefined;
    const request = expectBackend(own ? await readOwn(studio) : readChoices(query));
    const folder = own ? findProject(studio) : undefined;
    return {
      about: key,
      lock: `backend ${key}`,
      work: (working) => studio.backends.start({ key, query: query ?? null, request, folder }, toReporter(working)),
    };
  },
  stop(studio, { backend }) {
    const key = readKey(backend);
    studio.backends.expect(key);
    return { about: key, lock: `stop ${key}`, work: () => studio.backends.stop(key) };
  },
  check(studio, { backend }) {
    const key = readKey(backend);
    studio.backends.expectRunning(key);
    return { about: key, lock: `check ${key}`, work: (working) => check(studio, key, working) };
  },
  bench(studio, { backends }) {
    if (!Array.isArray(backends) || backends.length < 1 || backends.length > 2) {
      const detail = "Name one or two backends that run.";
      throw new HttpFault({ status: 400, code: "request", detail, parameter: "backends" });
    }
    const running = backends.map((key) => studio.backends.expectRunning(readKey(key)));
    const [path = "/health"] = resourcesIn(readDocument(running[0]?.folder ?? "")).map((resource) => resource.path);
    return {
      about: backends.join(", "),
      lock: "bench",
      work: ({ id, signal }) =>
        runBench(
          running.map(({ state, url }) => ({ ...state, url })),
          path,
          { signal, onRound: (round) => studio.events.add({ type: "bench", job: id, round }) },
        ),
    };
  },
  plan(studio, { target, options = {}, secrets = {}, env = [] }) {
    const to = expectText("target", target);
    const form = readForm<PublishOptions>(publishUsage, options);
    const values = { typed: readTexts("secrets", secrets), allowed: readNames("env", env) };
    return {
      about: to,
      lock: "publish",
      work: (working) => studio.publishing.makePlan(findProject(studio), to, form, values, working),
    };
  },
  publish(studio, { plan }) {
    const id = expectText("plan", plan);
    return {
      about: studio.publishing.plan?.target ?? null,
      lock: "publish",
      work: (working) => studio.publishing.publish(id, working),
    };
  },
  rollback(studio, { target, release, options = {} }) {
    const to = expectText("target", target);
    const how = {
      ...readForm<RollbackOptions>(rollbackUsage, options),
      ...(release === undefined ? {} : { release: expectText("release", release) }),
    };
    return {
      about: to,
      lock: "publish",
      work: (working) => studio.publishing.rollBack(findProject(studio), to, how, working),
    };
  },
  status(studio, { target }) {
    const to = expectText("target", target);
    return {
      about: to,
      lock: null,
      work: (working) => studio.publishing.readReleases(findProject(studio), to, working),
    };
  },
  logs(studio, { target, options = {} }) {
    const to = expectText("target", target);
    const { lines = logsUsage.flags.lines.default, follow = false } = readForm<LogOptions>(logsUsage, options);
    return {
      about: to,
      lock: `logs ${to}`,
      work: (working) => studio.publishing.showLogs(findProject(studio), to, { lines, follow }, working),
    };
  },
  unpublish(studio, { target, name, options = {} }) {
    const to = expectText("target", target);
    const how = { name: expectText("name", name), ...readForm<UnpublishOptions>(unpublishUsage, options) };
    return {
      about: to,
      lock: "publish",
      work: (working) => studio.publishing.unpublish(findProject(studio), to, how, working),
    };
  },
  "prune-secrets"(studio, { target, options = {} }) {
    const to = expectText("target", target);
    const how = readForm<{ wait?: boolean }>(secretsUsage, options);
    return {
      about: to,
      lock: "publish",
      work: (working) => studio.publishing.pruneSecrets(findProject(studio), to, how, working),
    };
  },
};

interface LogOptions {
  lines?: string;
  follow?: boolean;
}

interface UnpublishOptions {
  "delete-data"?: boolean;
  wait?: boolean;
}

const readChoices = (query: unknown) => readQueryRequest(new URLSearchParams(expectText("query", query)));

/** The page has one address for each framework, and an application has several. */
function expectBackend(request: AnyRequest): Request {
  if (!isApplication(request)) return request;
  const detail = "The page runs one backend. Start an application at a terminal: npm start in its folder.";
  throw new HttpFault({ status: 400, code: "service", detail, parameter: "service" });
}

function readKey(key: unknown): BackendKey {
  const text = expectText("backend", key);
  if (/^[a-z0-9]{1,20}$/i.test(text)) return text;
  throw new HttpFault({
    status: 400,
    code: "request",
    detail: "A backend's key has letters and digits.",
    parameter: "backend",
  });
}

function readTexts(parameter: string, value: unknown): Record<string, string> {
  if (typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string"))
    return value as Record<string, string>;
  throw new HttpFault({ status: 400, code: "request", detail: `"${parameter}" are texts by name.`, parameter });
}

function readNames(parameter: string, value: unknown): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new HttpFault({ status: 400, code: "request", detail: `"${parameter}" is a list of names.`, parameter });
}

async function readOwn(studio: Studio): Promise<AnyRequest> {
  const project = await readProject(studio.folder, studio.place);
  if (!project) throw new Fault("no_project", "There is no project in this folder yet. Make it first.");
  return readAnyRequest(readAnyInput(project.request));
}

function toReporter({ say, signal }: Working): Reporter {
  return { say, begin: (title) => void say(`${title} …`), interrupted: signal };
}

async function createEdit(studio: Studio, wanted: AnyRequest): Promise<Edit> {
  return createReplacement(await readOwn(studio), wanted);
}

/** Runs the suite; each check is an event. */
async function check(studio: Studio, backend: BackendKey, { id, signal }: Working): Promise<CheckSummary> {
  const { url, folder } = studio.backends.expectRunning(backend);
  const summary: CheckSummary = { passed: 0, failed: 0, skipped: 0, total: 0 };
  await checkIsolated(
    { url, openapi: join(folder, "openapi.json") },
    {
      env: readEnv(folder),
      signal,
      onChecks: (checks) => studio.events.add({ type: "checks", job: id, backend, checks }),
      onEnd: (check) => {
        summary[check.state] += 1;
        summary.total += 1;
        studio.events.add({ type: "check", job: id, backend, check });
      },
    },
  );
  return summary;
}
