import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { packBackend, readBackend } from "./src/backend.ts";

/**
 * An `import` of `node:http` reads everything that the module exports. Among it is a large client for `fetch`, which takes
 * longer to load than all other parts of a command.
 */
const partsOfHttp: Plugin = {
  name: "parts of http",
  setup(build) {
    build.onResolve({ filter: /^node:https?$/ }, ({ path }) => ({ path, namespace: "http" }));
    build.onLoad({ filter: /.*/, namespace: "http" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  entryNames: "dory",
  splitting: true,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
  plugins: [partsOfHttp],
});
// Runs from stdin beside an image that is tried, so it is a file of its own.
await build({
  entryPoints: ["src/publish/suite.ts"],
  outfile: "dist/suite.js",
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
writeFileSync("dist/backend.json", packBackend(readBackend(join(import.meta.dirname, ".."))));
