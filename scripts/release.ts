import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { Fault } from "../tool/src/fault.ts";
import {
  findBackendFaults,
  findContentFaults,
  findManifestFaults,
  packages,
  readVersion,
  requireEntry,
  withLockVersion,
  withVersion,
} from "./packages.ts";

/** Packs both packages of a version, checks and tries them, and prints the commands that publish them. */
const root = join(import.meta.dirname, "..");
const folders = Object.keys(packages) as (keyof typeof packages)[];
const versioned = ["package-lock.json", ...folders.map((folder) => `${folder}/package.json`)];

try {
  const version = readVersion(process.argv[2] ?? "", readManifest("tool").version);
  requireUnreleased(version);
  requireEntry(read("CHANGELOG.md"), version, new Date().toISOString().slice(0, 10));
  refuse(
    folders.flatMap((folder) => findManifestFaults(folder, readManifest(folder), JSON.parse(read("package.json")))),
  );
  const before = versioned.map((path) => [path, read(path)] as const);
  try {
    setVersion(version);
    await examine(pack(version), version);
  } catch (error) {
    for (const [path, text] of before) writeFileSync(join(root, path), text);
    throw error;
  }
  console.log(printNextSteps(version));
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function requireUnreleased(version: string): void {
  if (run("git", ["status", "--porcelain"]) !== "")
    throw new Fault("tree", "There are changes that are not committed. Commit them first.");
  if (run("git", ["tag", "--list", `v${version}`]) !== "")
    throw new Fault("version", `There is a tag v${version} already.`);
}

function setVersion(version: string): void {
  write("package-lock.json", withLockVersion(JSON.parse(read("package-lock.json")), version));
  for (const folder of folders) write(`${folder}/package.json`, withVersion(readManifest(folder), version));
}

/** Packs both, and returns the paths of the tarballs. */
function pack(version: string): string[] {
  mkdirSync(join(root, "release"), { recursive: true });
  run("npm", ["run", "build", "--workspace", "tool"]);
  for (const folder of folders)
    run("npm", ["pack", "--ignore-scripts", "--workspace", folder, "--pack-destination", join(root, "release")]);
  return Object.values(packages).map((name) => join(root, `release/${name}-${version}.tgz`));
}

/** Installs the tarballs as a user would, checks their files, and makes a project with each. */
async function examine(tarballs: string[], version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "dory-release-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    run("npm", ["install", "--no-audit", "--no-fund", ...tarballs], folder);
    for (const name of folders) refuse(await findFaults(name, join(folder, "node_modules", packages[name])));
    for (const name of Object.values(packages)) tryOut(folder, name, version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findFaults(name: keyof typeof packages, folder: string): Promise<string[]> {
  const texts = readTexts(folder);
  const packed = texts.get("dist/backend.json") ?? '{"files":[]}';
  const backend = new Map<string, string>(name === "tool" ? JSON.parse(packed).files : []);
  const faults = [...findContentFaults(name, [...texts.keys()]), ...findBackendFaults([...backend.keys()])];
  // The backend is checked file by file: in one line of JSON, the text of two files may look like a secret.
  texts.delete("dist/backend.json");
  for (const [path, text] of [...texts, ...backend]) faults.push(...(await findSecrets(path, text)));
  return faults;
}

function readTexts(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

async function findSecrets(path: string, content: string): Promise<string[]> {
  const rules = [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }];
  const { messages } = await lintSource({
    source: { content, filePath: path, ext: "", contentType: "text" },
    options: { config: { rules }, maskSecrets: true, noPhysicFilePath: true },
  });
  const lines = content.split("\n");
  const isFake = (line: number) => lines[line - 1]?.includes("not-a-secret");
  const found = messages.filter(({ loc }) => !isFake(loc.start.line));
  return found.map(({ loc, ruleId }) => `${path}:${loc.start.line} looks like a secret (${ruleId})`);
}

function tryOut(folder: string, name: string, version: string): void {
  const args = name === "dory" ? ["new", "my-api"] : ["my-other-api"];
  const bin = join(folder, "node_modules/.bin", name);
  run(bin, [...args, "--framework", "hono", "--no-install", "--no-git"], folder);
  const { dory } = JSON.parse(readFileSync(join(folder, args.at(-1) ?? "", "dory.json"), "utf8"));
  refuse(dory === version ? [] : [`${name} made a project of version ${dory}`]);
}

function printNextSteps(version: string): string {
  return `The packages are in release/. Publish them with:

  git commit -am "Version ${version}" && git tag v${version} && git push origin HEAD v${version}
${Object.values(packages)
  .map((name) => `  npm publish release/${name}-${version}.tgz\n`)
  .join("")}`;
}

function refuse(faults: string[]): void {
  if (faults.length > 0) throw new Fault("release", faults.join("\n"));
}

function readManifest(folder: string) {
  return JSON.parse(read(`${folder}/package.json`));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function write(path: string, value: object): void {
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
}

/** Runs a program and returns its stdout; if it fails, its output is in the message. */
function run(program: string, args: string[], cwd = root): string {
  console.error(`$ ${program} ${args.join(" ")}`);
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Fault("program", `${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }
}
