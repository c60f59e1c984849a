import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Backend, type Environment } from "../../../backend/kit/test/backend.ts";
import { newSqliteFile } from "../../../backend/kit/test/sqlite.ts";
import { appFile } from "../../src/new/slice/slice.ts";
import { writeFiles } from "../../src/new/write.ts";
import { buildWithoutPackages, project, repository, run } from "../support.ts";
import { type Ecosystem, type Package, toPath } from "./ecosystem.ts";

/** A project in which these packages are used, and beside it the server on plain Node, in `plain/`; rejects with npm's reason. */
export async function makeProject(list: string, ecosystem: Ecosystem, packages: Package[]): Promise<string> {
  const { framework = list } = ecosystem;
  // Not in node_modules, where Node does not run TypeScript.
  const folder = join(repository, ".cache/ecosystem", list);
  const files = new Map(project({ framework, database: "sqlite" }));
  const manifest = JSON.parse(files.get("package.json") ?? "");
  manifest.dependencies = { ...manifest.dependencies, ...listDependencies(ecosystem) };
  // Formatting and checking take place elsewhere.
  delete manifest.devDependencies["@biomejs/biome"];
  files.set("package.json", JSON.stringify(manifest, null, 2));
  files.set("src/app.ts", withEdit(files.get("src/app.ts") ?? "", ecosystem.edit));
  const app = `src/${appFile(framework)}`;
  files.set(app, withMount(files.get(app) ?? "", ecosystem.mount));
  for (const [path, text] of listSources(ecosystem, packages)) files.set(path, text);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((name) => !kept.includes(name)))
    rmSync(join(folder, name), { recursive: true });
  writeFiles(folder, files);
  await install(folder, files.get("package.json") ?? "");
  return folder;
}

const kept = ["node_modules", "package-lock.json", "installed.json"];

/** Installs what the project's owner would install, unless an earlier run has. */
async function install(folder: string, manifest: string): Promise<void> {
  const installed = join(folder, "installed.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === manifest) return;
  rmSync(installed, { force: true });
  await run(folder, "npm", ..."install --ignore-scripts --no-audit --no-fund --loglevel=error".split(" "));
  writeFileSync(installed, manifest);
}

function listDependencies({ packages }: Ecosystem): Record<string, string> {
  return Object.assign(
    {},
    ...packages.map((one) => ({ ...(one.version && { [one.name]: one.version }), ...one.with })),
  );
}

/** One file for each package, their list, the server on plain Node, and files to be sent. */
function listSources({ signature, plain, mount }: Ecosystem, packages: Package[]): [string, string][] {
  const list = packages.map((one, index) => `import mount${index} from "./${toPath(one)}.ts";`);
  const entries = packages.map((one, index) => `  ["/${toPath(one)}", mount${index}],`);
  return [
    ...packages.map((one): [string, string] => [`src/packages/${toPath(one)}.ts`, printSource(one, signature)]),
    ["src/packages/list.ts", `${list.join("\n")}\n\nexport const packages = [\n${entries.join("\n")}\n];\n`],
    ["plain/main.ts", plain.replace("// packages", () => `${mount}\n`)],
    ["public/hello.txt", "a file from disk\n"],
    ["public/large.txt", "0123456789abcdef".repeat(20_000)],
    ["public/index.html", "<h1>A page</h1>\n"],
    ["views/hello.ejs", "<h1>Hello <%= name %></h1>\n"],
    ["views/hello.hbs", "<h1>Hello {{name}}</h1>\n"],
  ];
}

function printSource({ code }: Package, signature: string): string {
  const lines = code.trim().split("\n");
  const body = lines.findLastIndex((line) => /^import |^} from /.test(line)) + 1;
  return `// @ts-nocheck\n${lines.slice(0, body).join("\n")}\n\n${signature.replace("// code", () => lines.slice(body).join("\n"))}\n`;
}

function withEdit(text: string, [from, to]: [string, string] = ["", ""]): string {
  assert.ok(text.includes(from), `src/app.ts has no ${from}`);
  return text.replace(from, () => to);
}

/** Adds an import after the others, and the rest after the line that mounts the project's routes. */
function withMount(text: string, mount: string): string {
  const lines = text.split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  const last = lines.findIndex((line) => /\broutes\b.*\bparts\b|^ *AppRoutesModule,/.test(line));
  assert.ok(last > 0, "the app mounts no routes");
  lines.splice(last + 1, 0, ...mount.split("\n"));
  lines.splice(lines.findLastIndex(isImport) + 1, 0, 'import { packages } from "./packages/list.ts";');
  return lines.join("\n");
}

/** Streams last longer than this. */
const limits = { BODY_LIMIT_BYTES: "10000000", HANDLER_TIMEOUT_MS: "1000", JWT_SECRET: "not-a-secret-for-tests" };

export async function startPlain(folder: string, { isCompiled }: Ecosystem): Promise<Backend> {
  if (isCompiled) await buildWithoutPackages(folder, { entryPoints: ["plain/main.ts"], outdir: "plain" });
  return startIn(folder, isCompiled ? "plain/main.cjs" : "plain/main.ts", {});
}

export async function startProject(folder: string): Promise<Backend> {
  return startIn(folder, "dist/main.cjs", { ...limits, DATABASE_URL: await newSqliteFile() });
}

function startIn(folder: string, file: string, env: Environment): Promise<Backend> {
  return Backend.start({ ...limits, ...env }, ["sh", "-c", `cd '${folder}' && exec "$0" --enable-source-maps ${file}`]);
}
