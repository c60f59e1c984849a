import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Plugin } from "esbuild";

const sources = join(import.meta.dirname, "src");

/** The app alone, to read its routes without starting it: Node cannot load decorators from the sources. */
export const appEntry = "src/app.ts";

/** Compiles with TypeScript before esbuild bundles: decorators need type metadata, which esbuild does not emit. */
export const decorators: Plugin = {
  name: "decorators",
  setup({ onStart, onLoad, onEnd }) {
    let [folder, errors] = ["", [] as { text: string }[]];
    onStart(async () => {
      folder = await mkdtemp(join(tmpdir(), "compiled-"));
      errors = await compileInto(folder);
      return { errors };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = relative(sources, path);
      if (place.startsWith("..")) return undefined;
      return { contents: errors.length > 0 ? "" : await readCompiled(folder, place), loader: "js" };
    });
    onEnd(() => rm(folder, { recursive: true }));
  },
};

/** Compiles each file separately, in a third of the time: `npm run check` checks the types. */
async function compileInto(folder: string): Promise<{ text: string }[]> {
  const emit = { noEmit: false, allowImportingTsExtensions: false, sourceMap: true, rootDir: sources, outDir: folder };
  const config = {
    extends: join(import.meta.dirname, "tsconfig.json"),
    include: [sources],
    compilerOptions: { ...emit, noCheck: true, noResolve: true, types: [] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "-p", folder]).then(
    () => [],
    ({ stdout, message }) => [{ text: stdout || message }],
  );
}

/** The JavaScript of a file, with a source map. */
async function readCompiled(folder: string, place: string): Promise<string> {
  const file = join(folder, place.replace(/\.ts$/, ".js"));
  const [code, map] = await Promise.all([readFile(file, "utf8"), readFile(`${file}.map`, "utf8")]);
  const mapped = Buffer.from(JSON.stringify({ ...JSON.parse(map), sources: [basename(place)] })).toString("base64");
  return code.replace(/\/\/# sourceMappingURL=.*/, `//# sourceMappingURL=data:application/json;base64,${mapped}`);
}
