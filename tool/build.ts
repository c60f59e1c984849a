import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/dory.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
