import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { wholeFlag } from "../backend/kit/test/whole.ts";
import type { FileEvent } from "./test-events.ts";

const graceMs = 3000;

/** The run of a test file, or of several in one process, in its own process group, which is ended as a whole. */
export class FileRun {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #close: Promise<unknown>;

  constructor(files: string[], pattern?: string) {
    const reporter = `--test-reporter=${join(import.meta.dirname, "test-events.ts")}`;
    const only = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
    const together = files.length > 1 ? ["--test", "--test-isolation=none"] : [];
    // Force the exit: what a failed test has left running would keep the process alive.
    const args = [...together, "--test-force-exit", wholeFlag, reporter, ...only, ...files];
    this.#child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#exit = once(this.#child, "exit").then(() => this.kill("SIGKILL"));
    this.#close = once(this.#child, "close");
  }

  /** Listens to the stderr of the process. */
  onStderr(listen: (text: string) => void): void {
    this.#child.stderr?.setEncoding("utf8").on("data", listen);
  }

  /** All events, until the process and everything that it started have ended. */
  async *events(): AsyncGenerator<FileEvent> {
    for await (const [event] of on(this.#child, "message", { close: ["disconnect"] })) yield event;
    await this.#exit;
    // Waits for the rest of the output; a process in another group may keep the pipe open.
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
