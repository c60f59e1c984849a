import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Backend } from "../backend.ts";
import { reportGroup } from "../execute.ts";
import { Fault } from "../fault.ts";
import { makeProject, prepareProject } from "../new/make.ts";
import { npmInstall } from "../new/programs.ts";
import { type Request, writeRequest } from "../new/request.ts";
import { escapeControls } from "../output.ts";
import type { Reporter } from "../progress.ts";
import type { BackendKey, BackendState } from "./api.ts";
import type { Events } from "./events.ts";
import { readEnv } from "./folder.ts";
import { HttpFault } from "./http.ts";

/** What is started: a project in a folder, or a request, for which one is made. */
export interface Subject {
  key: BackendKey;
  request: Request;
  /** Of the project; undefined for one that is made in a temporary folder. */
  folder: string | undefined;
  /** The choices as the page has them. */
  query: string | null;
}

interface Running {
  state: BackendState;
  folder: string;
  child: ChildProcess | undefined;
}

const mostBackends = 4;
const startMs = 60_000;
/** A backend ends by itself within this time. */
const stopMs = 12_000;

/** The backends that the studio has started. */
export class Backends {
  readonly #events: Events;
  readonly #load: () => Backend;
  /** A folder with packages that projects may share, in this repository. */
  readonly #packages: string | undefined;
  readonly #running = new Map<BackendKey, Running>();
  /** Those that were asked to end: they do not fail. */
  readonly #stopping = new WeakSet<ChildProcess>();
  #temporary: string | undefined;

  constructor(events: Events, load: () => Backend, packages: string | undefined) {
    this.#events = events;
    this.#load = load;
    this.#packages = packages;
  }

  list(): BackendState[] {
    return [...this.#running.values()].map(({ state }) => state);
  }

  /** A backend that runs, and where its files are. */
  expectRunning(key: BackendKey): { state: BackendState; url: string; folder: string } {
    const { state, folder } = this.expect(key);
    if (state.url === null || state.state !== "running")
      throw new HttpFault({
        status: 409,
        code: "not_running",
        detail: `The backend "${key}" is not running. Start it first.`,
      });
    return { state, folder, url: state.url };
  }

  expect(key: BackendKey): { state: BackendState; folder: string } {
    const found = this.#running.get(key);
    if (found) return found;
    throw new HttpFault({ status: 404, code: "not_found", detail: `There is no backend "${key}". Start it first.` });
  }

  /** Starts a backend, in the place of the one with the same key. */
  async start({ key, request, folder, query }: Subject, reporter: Reporter): Promise<BackendState> {
    await this.stop(key);
    if (this.#running.size >= mostBackends && !this.#running.has(key))
      throw new Fault("busy", `${mostBackends} backends are there already. Stop one of them.`);
    const { name, framework } = request;
    const state: BackendState = {
      key,
      name,
      framework,
      query,
      state: "preparing",
      url: null,
      reason: null,
      tokens: [],
    };
    const place = folder ?? join(this.#findTemporary(), key);
    this.#set({ state, folder: place, child: undefined });
    try {
      if (folder === undefined) await this.#make(place, request, reporter);
      else await installIfNeeded(place, reporter);
      return await this.#run(key, place, reporter.interrupted);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await this.stop(key);
      this.#update(key, { state: "failed", url: null, reason });
      throw error;
    }
  }

  async stop(key: BackendKey): Promise<void> {
    const child = this.#running.get(key)?.child;
    if (!child) return;
    this.#stopping.add(child);
    await endGroup(child);
    const found = this.#running.get(key);
    if (found?.child !== child) return;
    this.#set({ ...found, child: undefined, state: { ...found.state, state: "stopped", url: null, reason: null } });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((key) => this.stop(key)));
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Makes the project in a temporary folder. */
  async #make(place: string, request: Request, reporter: Reporter): Promise<void> {
    rmSync(place, { recursive: true, force: true, maxRetries: 10 });
    const project = prepareProject({ ...writeRequest(request), folder: place }, this.#load);
    const isShared = this.#packages !== undefined;
    await makeProject(project, { install: !isShared, git: false }, reporter);
    if (this.#packages !== undefined) symlinkSync(this.#packages, join(place, "node_modules"));
  }

  /** As `npm start` does it, on a free port. */
  async #run(key: BackendKey, folder: string, signal: AbortSignal): Promise<BackendState> {
    const port = await findFreePort();
    const env = { ...process.env, HOST: "127.0.0.1", PORT: String(port) };
    const child = spawn("npm", ["start", "--loglevel=error"], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    reportGroup(child);
    const last: string[] = [];
    const show = limitLines((text) => this.#events.add({ type: "line", job: null, backend: key, text }));
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on("line", (line) => {
        const text = escapeControls(line).slice(0, 4000);
        last.push(text);
        if (last.length > 5) last.shift();
        show(text);
      });
    const ended = new Promise<number>((resolve) => {
      child.once("error", () => resolve(127));
      child.once("close", (code) => resolve(code ?? 1));
    });
    this.#set({ ...(this.#running.get(key) as Running), child });
    const url = `http://127.0.0.1:${port}`;
    const asking = new AbortController();
    const healthy = waitUntilHealthy(url, AbortSignal.any([signal, asking.signal]));
    // One that has ended is not asked any more: that would keep the studio from ending.
    const code = await Promise.race([ended, healthy]).finally(() => asking.abort());
    if (code !== undefined)
      throw new Fault("start", `The backend ended with exit code ${code} before it was healthy:\n${last.join("\n")}`);
    const tokens = (readEnv(folder)["API_TOKENS"] ?? "")
      .split(",")
      .filter(Boolean)
      .map((one) => one.replace(/^[^:]*:/, ""));
    this.#update(key, { state: "running", url, tokens });
    void ended.then((code) => this.#noteEnd(key, child, code, last));
    return this.expect(key).state;
  }

  /** A backend that ends without being asked to has failed. */
  #noteEnd(key: BackendKey, child: ChildProcess, code: number, last: string[]): void {
    const found = this.#running.get(key);
    if (found?.child !== child || this.#stopping.has(child) || found.state.state !== "running") return;
    this.#update(key, { state: "failed", url: null, reason: `It ended with exit code ${code}:\n${last.join("\n")}` });
  }

  #findTemporary(): string {
    this.#temporary ??= mkdtempSync(join(tmpdir(), "dory-studio-"));
    mkdirSync(this.#temporary, { recursive: true });
    return this.#temporary;
  }

  #update(key: BackendKey, change: Partial<BackendState>): void {
    const found = this.#running.get(key);
    if (found) this.#set({ ...found, state: { ...found.state, ...change } });
  }

  #set(running: Running): void {
    this.#running.set(running.state.key, running);
    this.#events.add({ type: "backend", backend: running.state });
  }
}

/** Under load a backend logs more than anybody reads: of each second the first lines are shown, and how many were left out. */
function limitLines(show: (text: string) => void): (text: string) => void {
  let [second, shown, left] = [0, 0, 0];
  return (text) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      if (left > 0) show(`… ${left} more lines`);
      [second, shown, left] = [now, 0, 0];
    }
    if (shown < mostLinesInSecond) show(text);
    else left++;
    shown++;
  };
}

const mostLinesInSecond = 100;

async function installIfNeeded(folder: string, reporter: Reporter): Promise<void> {
  if (existsSync(join(folder, "node_modules"))) return;
  const reason = await npmInstall(folder, reporter);
  if (reason !== undefined) throw new Fault("npm_install", `npm install failed:\n${reason}`);
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves when it is healthy; there is no exit code then. */
async function waitUntilHealthy(url: string, signal: AbortSignal): Promise<undefined> {
  for (const deadline = performance.now() + startMs; performance.now() < deadline; await sleep(100)) {
    if (signal.aborted) throw new Fault("interrupted", "Interrupted. The backend was stopped.");
    if ((await fetchStatus(`${url}/health`)) === 200) return undefined;
  }
  throw new Fault("start", `The backend did not become healthy within ${startMs / 1000} s.`);
}

function fetchStatus(url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent: false, timeout: 2000 }, (message) => {
      message.resume();
      resolve(message.statusCode ?? 0);
    })
      .once("timeout", function (this: { destroy(): void }) {
        this.destroy();
      })
      .once("error", () => resolve(0));
  });
}

/** Ends a process and all that it has started. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  kill(pid, "SIGTERM");
  const late = setTimeout(kill, stopMs, pid, "SIGKILL");
  await ended;
  clearTimeout(late);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
