import { printJson } from "../../../backend/kit/openapi/json.ts";
import type { Backend } from "../backend.ts";
import { toApplication } from "../publish/application.ts";
import { printComposeWith } from "../publish/compose.ts";
import { findKnownVolumes } from "../publish/volumes.ts";
import { version } from "../version.ts";
import { printApplicationAgents } from "./print/application/agents.ts";
import { printApplicationEnvExample } from "./print/application/env.ts";
import { printApplicationPackage } from "./print/application/package.ts";
import { printApplicationReadme } from "./print/application/readme.ts";
import { nodeVersion, projectFor } from "./project.ts";
import {
  type AnyRequest,
  type ApplicationRequest,
  databaseName,
  databaseService,
  hasDatabase,
  isApplication,
  writeAnyRequest,
} from "./services.ts";
import { toSettings } from "./settings.ts";
import { cut } from "./slice/cut.ts";
import type { Files } from "./slice/slice.ts";

/** All files of a request: a project, or an application with a project for each service. */
export function filesFor(request: AnyRequest, backend: Backend): Files {
  return isApplication(request) ? makeApplication(request, backend) : projectFor(request, backend);
}

function makeApplication(request: ApplicationRequest, backend: Backend): Files {
  const document = createDocument(request);
  return new Map([
    ...request.services.flatMap((service) => moveToFolder(service.name, projectFor(service, backend))),
    ...cutScripts(request, backend),
    [".gitignore", backend.files.get(".gitignore") ?? ""],
    ...listEnvExample(request),
    ["AGENTS.md", printApplicationAgents(request)],
    ["README.md", printApplicationReadme(request)],
    ["compose.yaml", printComposeWith(toApplication(document, "."), findKnownVolumes)],
    ["package.json", printApplicationPackage(request)],
    ...nodeVersion(request),
    ["dory.json", printJson(document)],
  ]);
}

function listEnvExample(request: ApplicationRequest): [path: string, text: string][] {
  const text = printApplicationEnvExample(request);
  return text === "" ? [] : [[".env.example", text]];
}

function moveToFolder(folder: string, files: Files): [path: string, text: string][] {
  return [...files].map(([path, text]) => [`${folder}/${path}`, text]);
}

/** The scripts that run the services, without the one for PostgreSQL if it is not used. */
function cutScripts(request: ApplicationRequest, { files }: Backend): [path: string, text: string][] {
  const isGone = (path: string) => !hasDatabase(request) && path.includes("/postgres/");
  const scripts = [...files].filter(([path]) => path.startsWith("application/") && !isGone(path));
  return scripts.map(([path, text]) => [path.replace("application/", ""), cut(path, text, isGone)]);
}

/** `dory.json`: the request, and the settings for publishing each service. */
function createDocument(request: ApplicationRequest): Record<string, unknown> {
  const { name, id, services = [], node } = writeAnyRequest(request);
  const made = services.map(({ name = "", ...service }, index): [string, object] => [
    name,
    { ...service, ...toSettings(request.services[index] as (typeof request.services)[number]) },
  ]);
  const database = hasDatabase(request) ? { [databaseService]: createDatabase(request) } : {};
  const own = { name, ...(id === undefined ? {} : { id }) };
  return { ...own, services: { ...Object.fromEntries(made), ...database }, node, dory: version };
}

function createDatabase(request: ApplicationRequest): object {
  const env = { POSTGRES_DB: databaseName(request) };
  return { image: "postgres:18", port: 5432, env, secrets: ["POSTGRES_PASSWORD"] };
}
