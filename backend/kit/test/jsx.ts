import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { root } from "../project.ts";
import { preload } from "./preload.ts";

/** With these flags, Node loads JSX: a test imports the app before it runs. */
export const jsxFlags = ["--enable-source-maps", preload(import.meta.url, "loadJsx")];

/** Whether the project has JSX, which Node cannot load. */
export const hasJsx = () => globSync("{src,test}/**/*.{jsx,tsx}", { cwd: root }).length > 0;

/** From now on, Node loads the project's JSX as the bundle has it: `tsconfig.json` says what its elements are. */
export async function loadJsx(): Promise<void> {
  if (!hasJsx()) return;
  const { buildSync } = await import("esbuild");
  registerHooks({
    load(url, context, load) {
      if (!/^file:.*\.[jt]sx$/.test(url)) return load(url, context);
      const options = {
        absWorkingDir: root,
        format: "esm",
        target: "node26",
        sourcemap: "inline",
        write: false,
      } as const;
      const { outputFiles } = buildSync({ ...options, entryPoints: [fileURLToPath(url)] });
      return { format: "module", source: outputFiles[0]?.contents ?? "", shortCircuit: true };
    },
  });
}
