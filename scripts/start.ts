import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBackend } from "../tool/src/backend.ts";
import { Fault } from "../tool/src/fault.ts";
import { printEnv } from "../tool/src/new/print/env.ts";
import { projectFor } from "../tool/src/new/project.ts";
import { type Request, readRequest } from "../tool/src/new/request.ts";
import { writeFiles } from "../tool/src/new/write.ts";

/** Starts what `dory new` would make: Hono without features, unless `FRAMEWORK`, `FEATURES` and `WEBHOOKS` are set. */
const root = join(import.meta.dirname, "..");
const { FRAMEWORK = "hono", FEATURES = "", WEBHOOKS = "" } = process.env;

try {
  const [features, webhooks] = [FEATURES, WEBHOOKS].map((names) => names.split(",").filter(Boolean));
  const request = readRequest({
    name: "backend",
    framework: FRAMEWORK,
    features: features ?? [],
    webhooks: webhooks ?? [],
  });
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, projectFor(request, readBackend(root)));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  await run(folder, process.execPath, ["dory.ts", "build"]);
  const env = printEnv(request, () => randomBytes(32).toString("hex"));
  if (env !== "" && !existsSync(".env")) writeFileSync(".env", env, { mode: 0o600 });
  console.error(printExamples(request));
  const settings = existsSync(".env") ? ["--env-file=.env"] : [];
  const main = [...settings, "--enable-source-maps", join(folder, "dist/main.cjs")];
  process.exitCode = await run(process.cwd(), process.execPath, main);
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function run(cwd: string, program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes; the backend decides when to end.
  process.on("SIGINT", () => {}).on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

function printExamples({ features, webhooks }: Request): string {
  const url = `http://localhost:${process.env["PORT"] ?? 3000}`;
  const isGuarded = features.includes("auth");
  const token = isGuarded ? ' -H "Authorization: Bearer $TOKEN"' : "";
  return `Try:
${isGuarded ? `  . ./.env && TOKEN=\${API_TOKENS%%,*} && TOKEN=\${TOKEN##*:}\n` : ""}  curl ${url}/health
  curl ${url}/items${token}
  curl ${url}/items${token} -H 'Content-Type: application/json' -d '{"name":"First item"}'
${webhooks.map((source) => `  npx dory webhook send ${source} --to ${url}\n`).join("")}`;
}
