import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { options } from "../backend/build.ts";
import type { Framework } from "../backend/src/frameworks/names.ts";
import { readBackend } from "../tool/src/backend.ts";
import { projectFor } from "../tool/src/new/project.ts";
import { readRequest } from "../tool/src/new/request.ts";
import { writeFiles } from "../tool/src/new/write.ts";

const backend = join(import.meta.dirname, "../backend");

/** The files to run. Each of the backend contains one framework, like that of a generated project. */
export interface Bundles {
  backend: string;
  /** What `dory new` makes when nothing else is asked for. */
  project: string;
  /** The backend with a store that always answers the same page. */
  constantStore: string;
  /** The backend with a store that makes each creation a transaction of its own. */
  oneByOne: string;
  /** A minimal app in the framework that always answers the same page. */
  constant: string;
  /** A backend written by hand, with the parts that are usual in the framework. */
  handWritten: string;
  /** An app in the framework that has `/health` and nothing else. */
  oneLine: string;
  /** A `node:http` server that knows `/health`. */
  bare: string;
}

export async function bundleAll(frameworks: Framework[]): Promise<Map<Framework, Bundles>> {
  const bare = await bundle("bare", join(import.meta.dirname, "bare.ts"));
  return new Map(
    await Promise.all(
      frameworks.map(async (framework) => [framework, { bare, ...(await bundlesOf(framework)) }] as const),
    ),
  );
}

async function bundlesOf(framework: Framework): Promise<Omit<Bundles, "bare">> {
  const entry = join(backend, "src/main.ts");
  const app = { "./app.ts": join(backend, `src/frameworks/${framework}/app.ts`) };
  const store = (name: string) => ({ ...app, "./sqlite.ts": join(import.meta.dirname, `stores/${name}.ts`) });
  const other = (folder: string) => join(import.meta.dirname, folder, `${framework}.ts`);
  // Elysia's adapter for Node asks for its own path, which has another name in a CommonJS bundle.
  const define: BuildOptions = framework === "elysia" ? { define: { "import.meta.url": "__filename" } } : {};
  return {
    backend: await bundle(`${framework}-backend`, entry, replace(app)),
    project: await bundleProject(framework),
    constantStore: await bundle(`${framework}-constant-store`, entry, replace(store("constant"))),
    oneByOne: await bundle(`${framework}-one-by-one`, entry, replace(store("one-by-one"))),
    constant: await bundle(`${framework}-constant`, other("constant")),
    handWritten: await bundle(`${framework}-hand-written`, other("hand-written"), { ...define, external: [] }),
    oneLine: await bundle(`${framework}-one-line`, other("one-line"), define),
  };
}

async function bundleProject(framework: Framework): Promise<string> {
  const folder = join(import.meta.dirname, "dist/projects", framework);
  rmSync(folder, { recursive: true, force: true });
  const files = projectFor(readRequest({ name: framework, framework }), readBackend(join(backend, "..")));
  writeFiles(folder, files);
  const own: { options: BuildOptions } = await import(join(folder, "build.ts"));
  await build({ ...own.options, entryPoints: ["src/main.ts"], external: companions, absWorkingDir: folder });
  return join(folder, "dist/main.cjs");
}

/** What Nest loads if it is there. The hand-written backend needs it; a generated project does not have it. */
const companions = ["class-transformer", "class-validator"];

async function bundle(name: string, entry: string, { plugins = [], ...more }: BuildOptions = {}): Promise<string> {
  const { outdir: _, ...bundling } = options;
  const outfile = join(import.meta.dirname, `dist/${name}.cjs`);
  await build({
    ...bundling,
    external: companions,
    absWorkingDir: backend,
    entryPoints: [relative(backend, entry)],
    outfile,
    // esbuild looks for none beside a file that a plugin has resolved.
    tsconfig: join(backend, "tsconfig.json"),
    plugins: [...(options.plugins ?? []), ...plugins],
    ...more,
  });
  return outfile;
}

/** Replaces files that the backend imports by others; one that nothing imports is a mistake. */
function replace(replacements: Record<string, string>): BuildOptions {
  const unused = new Set(Object.keys(replacements));
  const plugin: Plugin = {
    name: "replace",
    setup({ onResolve, onEnd }) {
      onResolve({ filter: /^\.\/.*\.ts$/ }, ({ path: specifier, importer }) => {
        const path = importer.startsWith(join(backend, "src")) ? replacements[specifier] : undefined;
        if (path) unused.delete(specifier);
        return path ? { path } : undefined;
      });
      onEnd(() => ({ errors: [...unused].map((specifier) => ({ text: `nothing imports ${specifier}` })) }));
    },
  };
  return { plugins: [plugin] };
}
