import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Plugin } from "esbuild";
import { appFile, connectFile } from "../listener.ts";
import { root } from "../project.ts";
import { locate } from "./own-code.ts";
import { keepNames, readDependencies } from "./packages.ts";

/** The app alone, to read its routes without starting it: Node cannot load decorators from the sources. */
export const appEntry = { in: "the app alone", out: "app" };
export const appBundle = "dist/app.cjs";

/** Whether the project has decorators, which Node cannot load. */
export const hasDecorators = () => readDependencies(root).required.includes("@nestjs/core");

/** Compiles with TypeScript before esbuild bundles: decorators need type metadata, which esbuild does not emit. */
export const decorators = (renamed: Set<string>): Plugin => ({
  name: "decorators",
  setup({ onStart, onResolve, onLoad, onEnd }) {
    let [folder, errors] = ["", [] as { text: string }[]];
    onStart(async () => {
      folder = await mkdtemp(join(tmpdir(), "compiled-"));
      errors = await compile(["src"], folder);
      return { errors };
    });
    onResolve({ filter: new RegExp(`^${appEntry.in}$`) }, ({ path }) => ({ path, namespace: "app" }));
    onLoad({ filter: /^/, namespace: "app" }, () => ({
      contents: [connectFile(), appFile].map((file) => `export * from "./${file}";`).join("\n"),
      resolveDir: root,
    }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = relative(join(root, "src"), path);
      if (place.startsWith("..")) return undefined;
      const code = errors.length > 0 ? "" : locate(readCompiled(folder, join("src", place)), place);
      // TypeScript makes an expression of a decorated class, whose name does not survive the bundle.
      const isKept = code.includes("__decorate(") || renamed.has(path);
      return { contents: isKept ? await keepNames(code, basename(path)) : code, loader: "js" };
    });
    onEnd(() => rm(folder, { recursive: true }));
  },
});

/** Compiles each file separately, in a third of the time: `npm run check` checks the types. Returns what is wrong. */
export async function compile(sources: string[], outDir: string): Promise<{ text: string }[]> {
  // An interface may be imported like a value, as Nest's documentation does: it is not in the compiled code.
  const emit = { noEmit: false, allowImportingTsExtensions: false, verbatimModuleSyntax: false };
  const config = {
    extends: join(root, "tsconfig.json"),
    include: sources.map((folder) => join(root, folder)),
    compilerOptions: { ...emit, sourceMap: true, rootDir: root, outDir, noCheck: true, noResolve: true, types: [] },
  };
  await writeFile(join(outDir, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")), "bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "-p", outDir]).then(
    () => [],
    ({ stdout, message }) => [{ text: stdout || message }],
  );
}

/** The JavaScript of a file, with a source map. */
export function readCompiled(folder: string, path: string): string {
  const file = join(folder, path.replace(/\.ts$/, ".js"));
  const map = { ...JSON.parse(readFileSync(`${file}.map`, "utf8")), sources: [basename(path)] };
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
  return readFileSync(file, "utf8").replace(/\/\/# sourceMappingURL=.*/, `//# sourceMappingURL=${url}`);
}
