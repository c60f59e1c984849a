import { mkdtempSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, readCompiled } from "../build/compile.ts";
import { root } from "../project.ts";
import { preload } from "./preload.ts";

/** With these flags, Node loads decorators. */
export const loadingFlags = ["--enable-source-maps", preload(import.meta.url, "loadDecorators")];

/** From now on, Node loads the project's files as TypeScript compiles them. */
export async function loadDecorators(): Promise<void> {
  // The runner itself loads no test: each file has its own process.
  if (process.execArgv.includes("--test")) return;
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const { text } of await compile(["src", "test"], folder)) throw new Error(text);
  registerHooks({
    load(url, context, load) {
      const path = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : "";
      if (!/^(src|test)[\\/].*\.ts$/.test(path)) return load(url, context);
      return { format: "module", source: readCompiled(folder, path), shortCircuit: true };
    },
  });
}
