import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

export const root = join(import.meta.dirname, "..");

/** All services in `dory.json`: those with a folder, and images. */
export const { services } = JSON.parse(readFileSync(join(root, "dory.json"), "utf8"));

/** The services with a folder. */
export const names = Object.keys(services).filter((name) => services[name].framework !== undefined);

export const folderOf = (name) => join(root, name);

export const scriptsOf = (name) => JSON.parse(readFileSync(join(root, name, "package.json"), "utf8")).scripts;

export const isInstalled = (name) => existsSync(join(root, name, "node_modules"));

/** The values in `.env`. */
export function readSecrets() {
  const path = join(root, ".env");
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}

/** The environment of the service's container, with addresses on this machine. Variables that are already set win. */
export function environmentOf(name, running, secrets) {
  const { env = {}, secrets: declared = [] } = services[name];
  const isThere = (address, other) =>
    running.includes(other) ? `http://127.0.0.1:${portOf(other, running)}` : address;
  const own = Object.entries(env).map(([key, value]) => [
    key,
    value.replaceAll(/\bhttp:\/\/([a-z\d-]+):3000\b/g, isThere),
  ]);
  const given = declared.filter((key) => secrets[key] !== undefined).map((key) => [key, secrets[key]]);
  return { ...Object.fromEntries([...own, ...given]), ...process.env, PORT: portOf(name, running) };
}

/** From 3000 on, or from PORT on. */
export function portOf(name, running) {
  const first = Number(process.env.PORT ?? 3000);
  return first === 0 ? 0 : first + running.indexOf(name);
}
