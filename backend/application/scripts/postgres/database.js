import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { names, services } from "../services.js";
import { call, dataFolder, giveToServer, programsOf, succeeds } from "./programs.js";

/** Starts a PostgreSQL server for services that need one, unless DATABASE_URL names one. It ends with this process. */
export async function provideDatabase(secrets) {
  const needing = names.find((name) => services[name].database === "postgres");
  if (needing === undefined || process.env.DATABASE_URL || isForHere(secrets.DATABASE_URL)) return;
  const folder = dataFolder();
  secrets.DATABASE_URL = await start(await programsOf(needing, folder), folder);
}

/** A URL with the host of a container works only in containers. */
function isForHere(url) {
  return url !== undefined && !(URL.canParse(url) && services[new URL(url).hostname]?.image);
}

/** Starts the server, and creates its data first. A server that a killed process left running is used again. */
async function start({ initdb, pg_ctl }, folder) {
  const [data, password, owner] = ["cluster", "password", "owner"].map((name) => join(folder, name));
  if (!existsSync(data)) makeData(initdb, data, password);
  const isRunning = succeeds(pg_ctl, ["status", "-D", data]);
  const isOthers = isRunning && isAlive(Number(readFileSync(owner, "utf8")));
  const port = isRunning ? Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[3]) : await freePort();
  const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  if (!isRunning) call(pg_ctl, ["start", "-w", "-D", data, "-l", join(data, "server.log"), "-o", flags]);
  if (!isOthers) {
    writeFileSync(owner, String(process.pid));
    process.once("exit", () => call(pg_ctl, ["stop", "-D", data, "-m", "fast"]));
  }
  return `postgres://postgres:${readFileSync(password, "utf8").trim()}@127.0.0.1:${port}/postgres`;
}

/** Creates the data in another folder first, so that it is never incomplete. */
function makeData(initdb, data, password) {
  const unfinished = `${data}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  writeFileSync(password, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  for (const path of [unfinished, password]) giveToServer(path);
  const how = "--username=postgres --auth=scram-sha-256 --encoding=UTF8 --locale=C".split(" ");
  call(initdb, ["-D", unfinished, `--pwfile=${password}`, ...how]);
  renameSync(unfinished, data);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
