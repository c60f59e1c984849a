import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { hasDecorators } from "../build/compile.ts";
import { root } from "../project.ts";
import { buildIfStale } from "./bundle.ts";
import { loadingFlags } from "./decorators.ts";
import { hasJsx, jsxFlags } from "./jsx.ts";
import { wholeFlag } from "./whole.ts";

/**
 * Runs all tests, or the named files. Options are those of Node's test runner: `npm test -- --test-name-pattern=healthy`.
 * With `--inspect-brk`, the file waits for a debugger in its own process.
 */
export async function runTests(args: string[]): Promise<never> {
  const named = args.filter((one) => /\.ts$/.test(one));
  const loaders = [...(hasDecorators() ? loadingFlags : []), ...(hasJsx() ? jsxFlags : [])];
  const asked = args.filter((one) => !named.includes(one));
  const files = named.length > 0 ? named : globSync("test/*.test.ts", { cwd: root }).sort();
  const runner = asked.some((one) => one.startsWith("--inspect")) ? [] : ["--test"];
  // Timers of the app may keep running when the tests of a file have ended. Node does not combine this with --watch.
  const isWatching = asked.some((one) => one.startsWith("--watch"));
  // The last flag loads the file, which needs what the others load.
  const options = [...asked, ...loaders, ...(isWatching ? [] : ["--test-force-exit", wholeFlag])];
  await buildIfStale();
  const { status } = spawnSync(process.execPath, [...runner, ...options, ...files], { cwd: root, stdio: "inherit" });
  process.exit(status ?? 1);
}
