import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import type { Plugin } from "esbuild";

/** How code names a folder beside itself: with `join` or `resolve`, a template, a sum, or a URL. */
const names = [
  /\b(?:join|resolve)\(\s*[\w.]+\s*,((?:\s*["'`][^"'`$]+["'`]\s*,?)+)\s*\)/g,
  /`\$\{[\w.]+\}\/([^`$]+)`/g,
  /\+\s*["'`]\/?([^"'`$]+)["'`]/g,
  /\bnew URL\(\s*["']([^"']+)["']\s*,\s*import\.meta\.url\s*,?\s*\)/g,
];

/**
 * The own files that something loads by their paths when the app runs, like `@fastify/autoload` or an ORM that looks for its entities:
 * all code in a folder, or of a pattern, that own code names from its own place.
 */
export function findModules(root: string): string[] {
  const source = join(root, "src");
  const code = globSync("**/*.ts", { cwd: source, exclude: ["**/node_modules", "core"] });
  const places = code.flatMap((path) => findNames(readFileSync(join(source, path), "utf8"), dirname(path)));
  const isFolder = (place: string) => statSync(join(source, place), { throwIfNoEntry: false })?.isDirectory() === true;
  const patterns = places.flatMap((place) =>
    isFolder(place) ? [`${place}/**/*.ts`] : /\*/.test(place) ? [place] : [],
  );
  const found = globSync(patterns, { cwd: source, exclude: ["**/node_modules", "core"] });
  return found
    .filter((path) => /(?<!\.d|\.test)\.ts$/.test(path) && path !== "main.ts")
    .map((path) => path.replaceAll(sep, "/"))
    .sort();
}

/** Bundles them too, so that they share everything with the app. They are loaded when their files in `dist` are. */
export function bundleModules(root: string, paths: string[]): Plugin {
  const loaders = paths.map((path) => `${JSON.stringify(path)}: () => require(${JSON.stringify(`./src/${path}`)})`);
  const [resolveDir, namespace] = [root, "modules"];
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^(\.\/)?src\/\w+\.ts$/ }, ({ path, kind }) =>
        kind === "entry-point" ? { path, namespace } : undefined,
      );
      build.onResolve({ filter: /^#modules$/, namespace }, ({ path }) => ({ path, namespace }));
      build.onLoad({ filter: /^#modules$/, namespace }, () => ({
        contents: `${registry} = { ${loaders.join(", ")} };`,
        resolveDir,
      }));
      // Imports are evaluated in their order.
      build.onLoad({ filter: /\.ts$/, namespace }, ({ path }) => ({
        contents: `import "#modules"; export * from ${JSON.stringify(path.replace(/^(?!\.)/, "./"))};`,
        resolveDir,
      }));
    },
  };
}

const registry = 'globalThis[Symbol.for("modules of the bundle")]';

/** Writes a file for each of them, at its place in `dist`, with what it exports. */
export async function writeModules(root: string, paths: string[], dist: string): Promise<void> {
  for (const [path, exported] of await readExports(root, paths)) {
    const own = exported.filter((name) => name !== "default");
    const lines = [
      `const loaded = ${registry}[${JSON.stringify(path)}]();`,
      ...(own.length > 0 ? [`export const { ${own.join(", ")} } = loaded;`] : []),
      ...(own.length < exported.length ? ["export default loaded.default;"] : []),
    ];
    const file = join(dist, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join("\n")}\n`);
  }
}

async function readExports(root: string, paths: string[]): Promise<[path: string, exported: string[]][]> {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: paths.map((path) => `./src/${path}`),
    outdir: "exports",
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    loader: { ".node": "empty" },
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const outputs = Object.values(metafile.outputs);
  return outputs.map(({ entryPoint = "", exports }) => [posix.relative("src", entryPoint), exports]);
}

/** The folders and patterns that code names from its own place, as paths in `src`. */
function findNames(code: string, folder: string): string[] {
  if (!/\bimport\.meta\.(dirname|filename|url)\b/.test(code)) return [];
  const found = names.flatMap((name) => [...code.matchAll(name)].map(([, text = ""]) => join(folder, readText(text))));
  return found.filter((place) => place !== "." && !place.startsWith("..")).map((place) => place.replace(/[\\/]$/, ""));
}

/** The text of one literal, or of several that are joined. */
function readText(text: string): string {
  return text
    .split(",")
    .map((part) => part.trim().replace(/^["'`]|["'`]$/g, ""))
    .join("/");
}
