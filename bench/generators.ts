import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Framework } from "../backend/src/frameworks/names.ts";

/** A program that makes a project in the current folder, and our request that is most similar to it. */
export interface Generator {
  title: string;
  framework: Framework;
  package: string;
  version: string;
  bin: string;
  args: string[];
}

/** Without installing packages, without git, without questions. */
export const generators: Generator[] = [
  {
    title: "nest new",
    framework: "nest",
    package: "@nestjs/cli",
    version: "12.0.8",
    bin: "bin/nest.js",
    args: "new app --skip-install --skip-git --package-manager npm".split(" "),
  },
  {
    title: "fastify generate",
    framework: "fastify",
    package: "fastify-cli",
    version: "8.0.2",
    bin: "cli.js",
    args: "generate app".split(" "),
  },
  {
    title: "create-better-t-stack",
    framework: "hono",
    package: "create-better-t-stack",
    version: "3.44.1",
    bin: "dist/cli.mjs",
    args: `create app --backend hono --runtime node --database sqlite --orm drizzle --frontend none --api none --auth none
      --payments none --addons none --examples none --db-setup none --web-deploy none --server-deploy none --manual-db
      --package-manager npm --no-git --no-install --disable-analytics`.split(/\s+/),
  },
];

const cache = join(import.meta.dirname, "../node_modules/.cache/generators");

/** The path of its program, installed once and kept; rejects with npm's reason. */
export async function install(generator: Generator): Promise<string> {
  const folder = join(cache, `${generator.package.replace("/", "+")}@${generator.version}`);
  // npm writes this last.
  if (!existsSync(join(folder, "node_modules/.package-lock.json"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const flags = "--ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --prefix .".split(" ");
    await runProgram("npm", ["install", ...flags, `${generator.package}@${generator.version}`], folder);
  }
  return join(folder, "node_modules", generator.package, generator.bin);
}

/** The seconds from the start of a program to its end, in an empty folder that is also its home. */
export async function timeProgram(program: string, args: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const start = performance.now();
    await runProgram(program, args, folder, { HOME: folder });
    const seconds = (performance.now() - start) / 1000;
    if (!existsSync(join(folder, "app/package.json"))) throw new Error(`${args.join(" ")} did not make a project`);
    return seconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runProgram(program: string, args: string[], cwd: string, env = {}): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 300_000,
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${stderr.trim().split("\n")[0]}`);
}
