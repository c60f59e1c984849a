import type { Backend } from "./backend.ts";
import { printEnvExample } from "./print/env.ts";
import { printJson } from "./print/json.ts";
import { printOpenApi } from "./print/openapi.ts";
import { printPackage } from "./print/package.ts";
import { printReadme } from "./print/readme.ts";
import { type Request, writeRequest } from "./request.ts";
import { type Files, slice } from "./slice/slice.ts";

/** All files of the project that was asked for. */
export function projectFor(request: Request, backend: Backend): Files {
  const code = slice(backend.files, request);
  const copied = ["build.ts", ".dockerignore", ".gitignore"].map((path): [string, string] => [
    path,
    backend.files.get(path) ?? "",
  ]);
  return new Map([
    ...code,
    ...copied,
    ["Dockerfile", printDockerfile(request, backend)],
    ["openapi.json", printOpenApi(request)],
    ["package.json", printPackage(request, new Map([...code, ...copied]), backend.packageJson)],
    ["tsconfig.json", printTsconfig(request, backend)],
    ["biome.json", printBiome(request, backend)],
    [".env.example", printEnvExample(request)],
    ["README.md", printReadme(request)],
    ["dory.json", printJson({ ...writeRequest(request), ...publishing(request) })],
  ]);
}

/** What a release of it must be given, beside what was asked for. */
function publishing({ database, features }: Request): object {
  const secrets = [
    ...(database === "postgres" ? ["DATABASE_URL"] : []),
    ...(features.includes("auth") ? ["API_TOKENS"] : []),
  ];
  const publish = {
    ...(features.includes("cors") ? { env: { CORS_ORIGINS: "http://localhost:5173" } } : {}),
    ...(secrets.length > 0 ? { secrets } : {}),
  };
  return Object.keys(publish).length > 0 ? { publish } : {};
}

/** Without SQLite there is no data in the container. */
function printDockerfile({ database }: Request, { files }: Backend): string {
  const text = files.get("Dockerfile") ?? "";
  return database === "postgres" ? text.replace(/^(RUN mkdir .*|VOLUME .*)\n/gm, "") : text;
}

/** Only NestJS has decorators. */
const hasDecorators = ({ framework }: Request) => framework === "nest";

function printTsconfig(request: Request, { files }: Backend): string {
  const text = files.get("tsconfig.json") ?? "";
  return hasDecorators(request) ? text : text.replace(/^ *"experimentalDecorators": true,\n/m, "");
}

function printBiome(request: Request, { biome: { javascript, ...biome } }: Backend): string {
  return printJson(hasDecorators(request) ? { ...biome, javascript } : biome);
}
