import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../project.ts";
import { preload } from "./preload.ts";

/** With this flag, a file whose tests were not all found is a failure. */
export const wholeFlag = preload(import.meta.url, "expectWhole");

/**
 * With `--test-force-exit`, Node ends a file when the tests that it knows are over. Those below an `await` that takes
 * longer would be lost, and nothing would say so.
 */
export function expectWhole(): void {
  const [, file] = process.argv;
  // The runner itself loads no test.
  if (file === undefined || process.execArgv.includes("--test")) return;
  const { exit } = process;
  const restore = () => {
    process.exit = exit;
  };
  // The same module that Node runs.
  setImmediate(() => import(pathToFileURL(file).href).then(restore, restore));
  const exitOnceWhole = (code?: number) => {
    // The last test of a file may be over before its import is.
    setImmediate(() => {
      if (process.exit === exit) exit(code);
      console.error(`${relative(root, file)} ${isNotWhole}`);
      exit(1);
    });
  };
  process.exit = exitOnceWhole as typeof exit;
}

const isNotWhole =
  "has tests below an await at the top level, which were not run. Move what they wait for above the first test, or into a test.";
