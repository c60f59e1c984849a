import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** Why tests at a terminal are skipped; false if there is a program that makes one. */
export const noTerminal = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "")
  ? false
  : "there is no script of util-linux here";

export const keys = { enter: "\r", space: " ", down: "\x1b[B", delete: "\x7f", cancel: "\x03" };

/** A command at a pseudo terminal, and a person who types. */
export class Terminal {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #shown = "";
  #read = 0;

  constructor(cwd: string, command: string) {
    const wide = `stty cols 400 rows 60; ${command}`;
    this.#process = spawn("script", ["--quiet", "--return", "--flush", "--command", wide, "/dev/null"], { cwd });
    this.#process.stdout?.on("data", (text) => (this.#shown += stripVTControlCharacters(String(text))));
    this.#ended = once(this.#process, "close");
  }

  /** Waits until a text is shown that was not there before, then types. */
  async answer(shown: string, ...typed: string[]): Promise<void> {
    while (!this.#shown.includes(shown, this.#read)) {
      if (this.#process.exitCode !== null) throw new Error(`"${shown}" was not shown in:\n${this.#shown}`);
      await sleep(10);
    }
    this.#read = this.#shown.indexOf(shown, this.#read) + shown.length;
    for (const text of typed) {
      // The keys of a person arrive one after the other.
      await sleep(50);
      this.#process.stdin?.write(text);
    }
  }

  /** Everything that was shown until the command ended, and its exit code. */
  async end(): Promise<{ code: number; shown: string }> {
    const [code] = await this.#ended;
    return { code: code as number, shown: this.#shown };
  }
}
