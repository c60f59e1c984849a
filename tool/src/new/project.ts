import { printJson } from "../../../backend/kit/openapi/json.ts";
import type { Backend } from "../backend.ts";
import { kitFile } from "../kit.ts";
import { version } from "../version.ts";
import { printAgents } from "./print/agents.ts";
import { printCoreReadme } from "./print/core.ts";
import { printEnvExample } from "./print/env.ts";
import { printOpenApi } from "./print/openapi.ts";
import { nodeMajor, printPackage } from "./print/package.ts";
import { printReadme } from "./print/readme.ts";
import { type Request, writeRequest } from "./request.ts";
import { toSettings } from "./settings.ts";
import { type Files, hasDecorators, slice } from "./slice/slice.ts";

/** All files of the project that was asked for. */
export function projectFor(request: Request, backend: Backend): Files {
  const docs: [path: string, text: string][] = [
    ["README.md", printReadme(request)],
    ["AGENTS.md", printAgents(request)],
    ["src/core/README.md", printCoreReadme(request)],
  ];
  const code = slice(backend.files, request, docs.map(([, text]) => text).join("\n"));
  const copied = [".dockerignore", ".gitattributes", ".gitignore"].map((path): [string, string] => [
    path,
    backend.files.get(path) ?? "",
  ]);
  return new Map([
    ...code,
    ...copied,
    [kitFile, backend.kit],
    ["Dockerfile", printDockerfile(request, backend)],
    ["openapi.json", printOpenApi(request)],
    ["package.json", printPackage(request, code, backend.packageJson)],
    ["tsconfig.json", printTsconfig(request, backend)],
    ["biome.json", printBiome(request, backend)],
    [".env.example", printEnvExample(request)],
    ...docs,
    ...(request.application === undefined ? filesOfRoot(request) : []),
  ]);
}

/** Files that an application has at its root, instead of in each service. */
function filesOfRoot(request: Request): [path: string, text: string][] {
  const settings = toSettings(request);
  const publish = Object.keys(settings).length > 0 ? { publish: settings } : {};
  return [...nodeVersion(request), ["dory.json", printJson({ ...writeRequest(request), dory: version, ...publish })]];
}

/** `.node-version`, for version managers. */
export const nodeVersion = ({ node }: Pick<Request, "node">): [path: string, text: string][] =>
  node === "system" ? [[".node-version", `${nodeMajor}\n`]] : [];

/** Without SQLite there is no data in the container. */
function printDockerfile({ database, features }: Request, { files }: Backend): string {
  const text = files.get("Dockerfile") ?? "";
  const own = features.includes("webhooks") ? text : text.replace(/^RUN cp .*\/webhooks\/.*\n/m, "");
  return database === "postgres" ? own.replace(/^(RUN mkdir -p .*volume.*|COPY .*\/volume .*|VOLUME .*)\n/gm, "") : own;
}

function printTsconfig({ framework }: Request, { files }: Backend): string {
  const text = files.get("tsconfig.json") ?? "";
  // As Nest's documentation is written: imports of types, and members that a decorator's library sets.
  if (hasDecorators(framework))
    return text.replace(/^( *)"verbatimModuleSyntax": true,\n/m, '$1"strictPropertyInitialization": false,\n');
  return text.replace(
    /^( *)"experimentalDecorators": true,\n *"emitDecoratorMetadata": true,\n/m,
    '$1"erasableSyntaxOnly": true,\n',
  );
}

/** The rules for the framework's folder in the backend apply to all sources of a project. */
function printBiome({ framework }: Request, { biome: { javascript, overrides = [], ...biome } }: Backend): string {
  if (!hasDecorators(framework)) return printJson(biome);
  return printJson({ ...biome, javascript, overrides: overrides.map((one) => ({ ...one, includes: ["src/**"] })) });
}
