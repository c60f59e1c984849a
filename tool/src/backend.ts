import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "./new/slice/slice.ts";

/** The runnable backend that projects are cut from. */
export interface Backend {
  files: Files;
  packageJson: PackageJson;
  biome: BiomeConfig;
  /** The tools of every project, in one file. */
  kit: string;
}

export interface PackageJson {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export interface BiomeConfig {
  javascript?: object;
  overrides?: object[];
  [option: string]: unknown;
}

let loaded: Backend | undefined;

/** Reads the copy in this package. Its files are one, because npm leaves files like .gitignore out of packages. */
export function loadBackend(): Backend {
  if (loaded) return loaded;
  const read = (name: string) => readFileSync(join(import.meta.dirname, "../dist", name), "utf8");
  const { files, ...rest } = JSON.parse(read("backend.json"));
  loaded = { files: new Map(files), ...rest, kit: read("kit.js") } as Backend;
  return loaded;
}

/** The text of backend.json. */
export function packBackend({ files, kit: _, ...rest }: Backend): string {
  return JSON.stringify({ files: [...files], ...rest });
}

/** What a project has of the files at its top. */
const topFiles = ["dory.ts", "tsconfig.json", "Dockerfile", ".dockerignore", ".gitattributes", ".gitignore"];

/** Its code, and the tests that a project has: most tests are only for this repository. */
const code = [/^src\/.+\.ts$/, /^application\/.+\.js$/, /^test\/(contract|frameworks\/\w+\/app)\.test\.ts$/];

/** Whether a file of the backend is for projects. */
export const isForProjects = (path: string) => topFiles.includes(path) || code.some((own) => own.test(path));

/** Reads the backend from the repository. */
export function readBackend(repository: string): Backend {
  const folder = join(repository, "backend");
  const paths = ["src", "test", "application"].flatMap((name) => filesBelow(folder, name)).filter(isForProjects);
  return {
    files: new Map([...paths, ...topFiles].map((path) => [path, readFileSync(join(folder, path), "utf8")])),
    packageJson: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
    kit: readFileSync(join(repository, "tool/dist/kit.js"), "utf8"),
    biome: JSON.parse(readFileSync(join(repository, "biome.json"), "utf8")),
  };
}

function filesBelow(folder: string, path: string): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(folder, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
  );
}
