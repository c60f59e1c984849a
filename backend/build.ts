import { type BuildOptions, build, type Plugin } from "esbuild";

/** Companions that a package loads only if they are there are not bundled. */
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

export const options: BuildOptions = {
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.cjs",
  bundle: true,
  platform: "node",
  target: "node26",
  minify: true,
  logLevel: "warning",
  plugins: [optional],
};

if (import.meta.main) await build(options);
if (process.argv.includes("--start")) await import(`${import.meta.dirname}/dist/main.cjs`);
