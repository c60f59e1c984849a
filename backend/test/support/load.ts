import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../kit/test/eventually.ts";
import { type Answer, Client } from "./client.ts";

interface Options {
  clients?: number;
  pauseMs?: number;
}

/** Clients that create items one after the other, until the load is ended or the backend refuses connections. */
export class Load {
  readonly answers: Answer[] = [];
  /** The errors of requests that got no complete answer. */
  readonly failures: string[] = [];
  readonly #over: Promise<unknown>;
  #isEnding = false;

  constructor(url: string, { clients = 4, pauseMs = 0 }: Options = {}) {
    this.#over = Promise.all(Array.from({ length: clients }, () => this.#run(url, pauseMs)));
  }

  /** The ids of the items whose creation was acknowledged. */
  get acknowledged(): string[] {
    return this.answers.filter(({ status }) => status === 201).map(({ body }) => body.id ?? "");
  }

  async hasCreated(count: number): Promise<void> {
    await eventually(() => this.acknowledged.length >= count, `${count} items to be acknowledged`);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.over();
  }

  /** Resolves when every client has ended. */
  async over(): Promise<void> {
    await this.#over;
  }

  async #run(url: string, pauseMs: number): Promise<void> {
    const client = new Client(url);
    try {
      while (!this.#isEnding) {
        this.answers.push(await client.create(`item ${this.answers.length}`));
        if (pauseMs > 0) await sleep(pauseMs);
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ECONNREFUSED") this.failures.push(`${code}: ${message}`);
    } finally {
      client.close();
    }
  }
}
