import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { options } from "../backend/build.ts";
import type { Framework } from "./options.ts";

const backend = join(import.meta.dirname, "../backend");

/** The files to run. The backend's hold one framework each, as a generated project's do. */
export interface Bundles {
  backend: string;
  /** The backend with a store that always answers the same page. */
  constantStore: string;
  /** The backend with a store that gives each creation a transaction of its own. */
  oneByOne: string;
  /** A minimal app in the framework that always answers the same page. */
  constant: string;
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
  const app = { "./app.ts": join(backend, `src/frameworks/${framework}.ts`) };
  const store = (name: string) => ({ ...app, "./sqlite.ts": join(import.meta.dirname, `stores/${name}.ts`) });
  return {
    backend: await bundle(`${framework}-backend`, entry, app),
    constantStore: await bundle(`${framework}-constant-store`, entry, store("constant")),
    oneByOne: await bundle(`${framework}-one-by-one`, entry, store("one-by-one")),
    constant: await bundle(`${framework}-constant`, join(import.meta.dirname, `constant/${framework}.ts`)),
  };
}

async function bundle(name: string, entry: string, replacements: Record<string, string> = {}): Promise<string> {
  const outfile = join(import.meta.dirname, `dist/${name}.cjs`);
  await build({
    ...options,
    absWorkingDir: backend,
    entryPoints: [relative(backend, entry)],
    outfile,
    // esbuild looks for none beside a file that a plugin has chosen.
    tsconfig: join(backend, "tsconfig.json"),
    plugins: [...(options.plugins ?? []), replace(replacements)],
  });
  return outfile;
}

/** Puts other files in the place of the backend's own imports; one that nobody imports is a mistake. */
function replace(replacements: Record<string, string>): Plugin {
  const unused = new Set(Object.keys(replacements));
  return {
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
}
