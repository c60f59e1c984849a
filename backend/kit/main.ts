import type { Kit } from "../dory.ts";
import { runBuild, runMigrate } from "./build/build.ts";
import { writeDocument } from "./openapi/write.ts";
import { openApp, serve } from "./test/app.ts";
import { ask } from "./test/ask.ts";
import { testContract } from "./test/contract.ts";
import { runTests } from "./test/run.ts";

export { bundle, createOptions } from "./build/build.ts";
export { describeApp } from "./openapi/app.ts";
export { Backend } from "./test/backend.ts";
export { everyDatabase } from "./test/databases.ts";
export { loadDecorators, loadingFlags } from "./test/decorators.ts";
export { loadJsx } from "./test/jsx.ts";
export { judge } from "./test/judge.ts";
export { expectWhole } from "./test/whole.ts";

const commands: Record<string, (args: string[]) => Promise<void>> = {
  build: runBuild,
  migrate: runMigrate,
  openapi: writeDocument,
  test: runTests,
};

async function run([name = "", ...args]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(args);
  console.error(`There is no command "${name}". Use: node dory.ts ${Object.keys(commands).join(" | ")}`);
  process.exitCode = 1;
}

export const kit: Kit = { run, openApp, serve, ask, testContract };

if (import.meta.main) await run(process.argv.slice(2));
