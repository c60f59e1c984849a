import { type BuildOptions, build } from "esbuild";

export const options: BuildOptions = {
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.cjs",
  bundle: true,
  platform: "node",
  target: "node26",
  minify: true,
  // Companions that a package loads only if they are installed.
  external: ["pg-native", "@nestjs/microservices", "@nestjs/websockets", "class-transformer", "class-validator"],
  logLevel: "warning",
};

if (import.meta.main) await build(options);
