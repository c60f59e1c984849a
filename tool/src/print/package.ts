import type { PackageJson } from "../backend.ts";
import type { Request } from "../request.ts";
import type { Files } from "../slice/slice.ts";
import { printJson } from "./json.ts";

const tools = ["@biomejs/biome", "@types/node", "typescript"];

/** The text of `package.json`: of the backend's packages, those that the kept files import. */
export function printPackage({ name }: Request, files: Files, backend: PackageJson): string {
  const runtime = importedBy(files, (path) => path.startsWith("src/"));
  const all = importedBy(files, () => true);
  const dependencies = pick(backend.dependencies, (one) => runtime.has(one));
  const devDependencies = pick(
    backend.devDependencies,
    (one) => tools.includes(one) || all.has(one) || all.has(one.replace(/^@types\//, "")),
  );
  return printJson({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      build: "node build.ts",
      prestart: "npm run build --silent",
      start: "node --env-file-if-exists=.env dist/main.cjs",
      dev: "node --env-file-if-exists=.env --watch --watch-path=src build.ts --start",
      check: "biome check && tsc",
      format: "biome check --write",
      pretest: "npm run build --silent",
      test: "node --test 'test/*.test.ts'",
    },
    dependencies,
    devDependencies,
    optionalDependencies: backend.optionalDependencies,
  });
}

/** The packages that files import by name. */
function importedBy(files: Files, isMeant: (path: string) => boolean): Set<string> {
  const texts = [...files].filter(([path]) => path.endsWith(".ts") && isMeant(path)).map(([, text]) => text);
  const specifiers = texts.flatMap((text) => [...text.matchAll(/(?:from |import |import\()"([^".][^"]*)"/g)]);
  return new Set(specifiers.map(([, specifier = ""]) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""));
}

function pick(versions: Record<string, string>, isMeant: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => isMeant(name)));
}
