import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { appEntry, decorators } from "./compile.ts";
import { commandEntry } from "./src/features/webhooks/bundle.ts";

/** Optional packages, which others load only if they are installed, are not bundled. */
const optional: Plugin = {
  name: "optional",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === optional || options.kind === "entry-point") return undefined;
      const { errors } = await build.resolve(path, { ...options, pluginData: optional });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/** A source map for our own code only: one for the packages would be larger than the bundle. */
const ownLines: Plugin = {
  name: "own lines",
  setup(build) {
    const nothing = Buffer.from('{"version":3,"sources":["package"],"mappings":"AAAA"}').toString("base64");
    build.onLoad({ filter: /\bnode_modules\b.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, "utf8")}\n//# sourceMappingURL=data:application/json;base64,${nothing}`,
      loader: "default",
    }));
  },
};

const plugins = [optional, ownLines];
plugins.push(decorators);

const entryPoints = ["src/main.ts"];
entryPoints.push(appEntry);
entryPoints.push(commandEntry);

const isStart = process.argv.includes("--start");

export const options: BuildOptions = {
  entryPoints,
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node26",
  // Names are kept: libraries use names of classes, and stack traces stay readable.
  minifySyntax: !isStart,
  minifyWhitespace: !isStart,
  sourcemap: "linked",
  sourcesContent: false,
  logLevel: "warning",
  plugins,
};

if (import.meta.main) {
  const { outputFiles } = await build({ ...options, write: false });
  // Another build or a start may run at the same time: it must not read an incomplete file.
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
if (isStart) await import(`${import.meta.dirname}/dist/main.cjs`);
