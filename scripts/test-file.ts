import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { News } from "./test-events.ts";

const graceMs = 3000;

/** The run of one test file: a process with a group of its own, which ends as a whole. */
export class FileRun {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #close: Promise<unknown>;

  constructor(file: string, pattern?: string) {
    const reporter = `--test-reporter=${join(import.meta.dirname, "test-events.ts")}`;
    const only = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
    // By force: what a failed test has left running would keep the process alive.
    const args = ["--test-force-exit", reporter, ...only, file];
    this.#child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#exit = once(this.#child, "exit").then(() => this.kill("SIGKILL"));
    this.#close = once(this.#child, "close");
  }

  /** What the process says besides. */
  onStderr(listen: (text: string) => void): void {
    this.#child.stderr?.setEncoding("utf8").on("data", listen);
  }

  /** Until the process has ended, and with it all that it had started. */
  async *news(): AsyncGenerator<News> {
    for await (const [news] of on(this.#child, "message", { close: ["disconnect"] })) yield news;
    await this.#exit;
    // What is left to read; a process that has a group of its own may keep the other end open.
    await Promise.race([this.#close, sleep(200)]);
    this.#child.stderr?.destroy();
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  async end(): Promise<void> {
    this.kill("SIGTERM");
    const timer = setTimeout(() => this.kill("SIGKILL"), graceMs);
    await this.#exit;
    clearTimeout(timer);
  }

  kill(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
