import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { loadingFlags } from "../build/compile.ts";
import { buildIfStale } from "./bundle.ts";

/**
 * Runs all tests, or the named files. Options are those of Node's test runner: `npm test -- --test-name-pattern=healthy`.
 * With `--inspect-brk`, the file waits for a debugger in its own process.
 */
const named = process.argv.slice(2).filter((one) => /\.ts$/.test(one));
const options = process.argv.slice(2).filter((one) => !named.includes(one));
options.push(...loadingFlags);
const files = named.length > 0 ? named : globSync(["kit/test/*.test.ts", "test/*.test.ts"]).sort();
const runner = options.some((one) => one.startsWith("--inspect")) ? [] : ["--test"];

buildIfStale();
const { status } = spawnSync(process.execPath, [...runner, ...options, ...files], { stdio: "inherit" });
process.exit(status ?? 1);
