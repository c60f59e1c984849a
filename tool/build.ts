import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { packBackend, readBackend } from "./src/backend.ts";

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
