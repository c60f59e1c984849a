import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { createOptions } from "../backend/kit/build/build.ts";
import type { Framework } from "../backend/src/frameworks/names.ts";
import { readBackend } from "../tool/src/backend.ts";
import { kitFile } from "../tool/src/kit.ts";
import { projectFor } from "../tool/src/new/project.ts";
import { type RequestInput, readRequest } from "../tool/src/new/request.ts";
import { writeFiles } from "../tool/src/new/write.ts";

const backend = join(import.meta.dirname, "../backend");

/** The files to run. Each bundle of the backend contains one framework, as in a generated project. */
export interface Bundles {
  backend: string;
  /** What `dory new` makes without options. */
  project: string;
  /** The backend with a store that always answers the same page. */
  constantStore: string;
  /** The backend with a store that uses one transaction for each creation. */
  oneByOne: string;
  /** A minimal app in the framework that always answers the same page. */
  constant: string;
  /** A hand-written backend, with the packages that are usual in the framework. */
  handWritten: string;
  /** The same, on PostgreSQL. */
  handWrittenPostgres: string;
  /** An app in the framework that has `/health` and nothing else. */
  oneLine: string;
  /** A `node:http` server with `/health`. */
  bare: string;
  /** A `node:http` server with pages from SQLite. */
  barePages: string;
}

export async function bundleAll(frameworks: Framework[]): Promise<Map<Framework, Bundles>> {
  const bare = await bundle("bare", join(import.meta.dirname, "bare.ts"));
  const barePages = await bundle("bare-pages", join(import.meta.dirname, "bare-pages.ts"));
  return new Map(
    await Promise.all(
      frameworks.map(
        async (framework) => [framework, { bare, barePages, ...(await bundleFramework(framework)) }] as const,
      ),
    ),
  );
}

async function bundleFramework(framework: Framework): Promise<Omit<Bundles, "bare" | "barePages">> {
  const entry = join(backend, "src/main.ts");
  const app = {
    "./app.ts": join(backend, `src/frameworks/${framework}/app.ts`),
    "./core/connect.ts": join(backend, `src/core/frameworks/${framework}/connect.ts`),
  };
  const withStore = (name: string) => ({ ...app, "./sqlite.ts": join(import.meta.dirname, `stores/${name}.ts`) });
  const locate = (folder: string) => join(import.meta.dirname, folder, `${framework}.ts`);
  // Elysia's adapter for Node reads its own path, which has another name in a CommonJS bundle.
  const define: BuildOptions = framework === "elysia" ? { define: { "import.meta.url": "__filename" } } : {};
  return {
    backend: await bundle(`${framework}-backend`, entry, replace(app)),
    project: await bundleProject(framework),
    constantStore: await bundle(`${framework}-constant-store`, entry, replace(withStore("constant"))),
    oneByOne: await bundle(`${framework}-one-by-one`, entry, replace(withStore("one-by-one"))),
    constant: await bundle(`${framework}-constant`, locate("constant")),
    handWritten: await bundle(`${framework}-hand-written`, locate("hand-written"), { ...define, external: [] }),
    handWrittenPostgres: await bundle(`${framework}-hand-written-postgres`, locate("hand-written"), {
      ...define,
      external: ["pg-native"],
      ...replace({ "./items.ts": join(import.meta.dirname, "hand-written/items-postgres.ts") }),
    }),
    oneLine: await bundle(`${framework}-one-line`, locate("one-line"), define),
  };
}

const bundleProject = (framework: Framework) => bundleRequest({ name: framework, framework });

/** The bundle of the project that a request asks for. */
export async function bundleRequest(input: RequestInput & { name: string }): Promise<string> {
  const folder = join(import.meta.dirname, "dist/projects", input.name);
  rmSync(folder, { recursive: true, force: true });
  const files = projectFor(readRequest(input), readBackend(join(backend, "..")));
  writeFiles(folder, files);
  const own: typeof import("../backend/kit/main.ts") = await import(join(folder, kitFile));
  await build({ ...own.createOptions(), entryPoints: ["src/main.ts"], external: companions, absWorkingDir: folder });
  return join(folder, "dist/main.cjs");
}

/** Packages that Nest loads if they are installed. Only the hand-written backend needs them. */
const companions = ["class-transformer", "class-validator"];

async function bundle(name: string, entry: string, { plugins = [], ...more }: BuildOptions = {}): Promise<string> {
  const { outdir: _, plugins: usual = [], ...bundling } = createOptions();
  const outfile = join(import.meta.dirname, `dist/${name}.cjs`);
  await build({
    ...bundling,
    external: companions,
    absWorkingDir: backend,
    entryPoints: [relative(backend, entry)],
    outfile,
    // esbuild does not look for one next to a file that a plugin has resolved.
    tsconfig: join(backend, "tsconfig.json"),
    plugins: [...usual, ...plugins],
    ...more,
  });
  return outfile;
}

/** Replaces files that are imported; it is an error if nothing imports one of them. */
function replace(replacements: Record<string, string>): BuildOptions {
  const unused = new Set(Object.keys(replacements));
  const plugin: Plugin = {
    name: "replace",
    setup({ onResolve, onEnd }) {
      onResolve({ filter: /^\.\/.*\.ts$/ }, ({ path: specifier, importer }) => {
        const places = [join(backend, "src"), join(import.meta.dirname, "hand-written")];
        // Features have statements in files of the same names.
        const isOurs = places.some((one) => importer.startsWith(one)) && !importer.includes("/features/");
        const path = isOurs ? replacements[specifier] : undefined;
        if (path) unused.delete(specifier);
        return path ? { path } : undefined;
      });
      onEnd(() => ({ errors: [...unused].map((specifier) => ({ text: `nothing imports ${specifier}` })) }));
    },
  };
  return { plugins: [plugin] };
}
