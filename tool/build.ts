import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import backendManifest from "../backend/package.json" with { type: "json" };
import { bundleKit, ownCode, printKit } from "./build-kit.ts";
import manifest from "./package.json" with { type: "json" };
import { packBackend, readBackend } from "./src/backend.ts";

/**
 * An `import` of `node:http` reads everything that the module exports. Among it is a large client for `fetch`, which takes
 * longer to load than all other parts of a command. And a bundle of ES modules cannot `require` what `debug` needs.
 */
const builtinModules: Plugin = {
  name: "built-in modules",
  setup(build) {
    build.onResolve({ filter: /^(node:https?|tty|util)$/ }, ({ path }) => ({ path, namespace: "builtin" }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

rmSync("dist", { recursive: true, force: true });
// What is only a devDependency is part of the bundle: secretlint runs on Node 20, but npm would print that it needs a later one.
const { metafile } = await build({
  entryPoints: { dory: "src/main.ts", "check-worker": "src/check-worker.ts" },
  outdir: "dist",
  splitting: true,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: [...Object.keys(manifest.dependencies), "supports-color"],
  metafile: true,
  logLevel: "warning",
  plugins: [builtinModules, ownCode],
});
const page = await build({
  entryPoints: ["src/studio/page/main.tsx", "src/studio/page/styles/main.css", "src/studio/page/icon.svg"],
  outdir: "dist/studio",
  outbase: "src/studio/page",
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  platform: "browser",
  format: "esm",
  target: ["chrome120", "firefox120", "safari17"],
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".svg": "copy" },
  metafile: true,
  logLevel: "warning",
});
writeFileSync("dist/studio/index.html", linkAssets(readFileSync("src/studio/page/index.html", "utf8"), page.metafile));
// Runs from stdin beside an image that is tried, so it is a file of its own.
await build({
  entryPoints: ["src/publish/suite.ts"],
  outfile: "dist/suite.js",
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
const { text, inputs } = await bundleKit();
const kit = printKit(manifest.version, text, bundledPackages(inputs).map(readLicense));
writeFileSync("dist/kit.js", kit);
// The backend in this repository uses it as projects do.
const kitOfBackend = join(import.meta.dirname, "../backend", backendManifest.imports["#dory"]);
rmSync(dirname(kitOfBackend), { recursive: true, force: true });
mkdirSync(dirname(kitOfBackend), { recursive: true });
writeFileSync(kitOfBackend, kit);
writeFileSync("dist/backend.json", packBackend(readBackend(join(import.meta.dirname, ".."))));
writeFileSync(
  "dist/licenses.txt",
  bundledPackages([...Object.keys(metafile.inputs), ...Object.keys(page.metafile.inputs)])
    .map(readLicense)
    .join("\n"),
);

/** Names in the page become those with hashes, so that browsers may keep the files. */
function linkAssets(html: string, { outputs }: Metafile): string {
  const names = new Map(
    Object.keys(outputs).map((path) => [basename(path).replace(/-[A-Z0-9]{8}(?=\.\w+$)/, ""), basename(path)]),
  );
  return html.replaceAll(/\/assets\/([\w.-]+)/g, (_, name) => {
    const hashed = names.get(name);
    assert.ok(hashed, `the page has no file ${name}`);
    return `/assets/${hashed}`;
  });
}

/** The folders of the packages that these files belong to. */
function bundledPackages(files: string[]): string[] {
  const folders = files.map((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? "");
  return [...new Set(folders)].filter((folder) => folder !== "").sort();
}

function readLicense(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^licen[cs]e/i.test(name));
  assert.ok(files.length > 0, `${folder} has no license`);
  return [
    folder.replace(/.*node_modules\//, ""),
    ...files.map((name) => readFileSync(join(folder, name), "utf8")),
  ].join("\n\n");
}
