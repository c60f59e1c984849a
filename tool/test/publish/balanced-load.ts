import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What clients saw while something happened. */
export interface Figures {
  answered: number;
  /** Requests that were sent and got no answer, or that of a failure, by their kind. */
  failed: Record<string, number>;
  /** How often a client found a node away and asked the next one; nothing was sent then. */
  moved: number;
  /** The longest that a client waited for an answer, in milliseconds. */
  longestMs: number;
  /** The ids of items that were acknowledged. */
  items: string[];
}

/** Sends requests as behind a load balancer: a node to which no connection can be made is left for the next one. */
export async function underBalancedLoad(urls: string[], work: () => Promise<void>): Promise<Figures> {
  const load = new BalancedLoad(urls);
  try {
    await work();
  } finally {
    await load.stop();
  }
  return load.figures;
}

const clients = 8;
const patienceMs = 30_000;
const connectMs = 2000;

class BalancedLoad {
  readonly figures: Figures = { answered: 0, failed: {}, moved: 0, longestMs: 0, items: [] };
  readonly #clients: Promise<void>[];
  #isStopped = false;

  constructor(urls: string[]) {
    this.#clients = Array.from({ length: clients }, (_, index) => this.#client(urls, index));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #client(urls: string[], index: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = index; !this.#isStopped; await sleep(20)) {
      const start = performance.now();
      const answer = await ask(`${urls[at % urls.length]}/items`, index % 2 === 0 ? "GET" : "POST", agent);
      if (answer.isUnsent) {
        this.figures.moved++;
        at++;
        continue;
      }
      this.figures.longestMs = Math.max(this.figures.longestMs, Math.round(performance.now() - start));
      if (answer.failure !== undefined)
        this.figures.failed[answer.failure] = (this.figures.failed[answer.failure] ?? 0) + 1;
      else this.figures.answered++;
      if (answer.item !== undefined) this.figures.items.push(answer.item);
    }
    agent.destroy();
  }
}

interface Answer {
  failure?: string;
  /** Whether no connection could be made. */
  isUnsent?: boolean;
  item?: string;
}

function ask(url: string, method: "GET" | "POST", agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    let isConnected = false;
    const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
    const sent = request(url, { method, agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      answer.once("error", () => resolve({ failure: `${method} cut off` }));
      answer.once("end", () => {
        if (answer.statusCode !== (method === "POST" ? 201 : 200))
          return resolve({ failure: `${method} ${answer.statusCode}` });
        resolve(method === "POST" ? { item: JSON.parse(text).id } : {});
      });
    });
    const late = setTimeout(() => sent.destroy(Object.assign(new Error(), { code: "no answer" })), patienceMs);
    const unconnected = setTimeout(() => isConnected || sent.destroy(), connectMs);
    sent.once("socket", (socket) => {
      isConnected = !socket.connecting;
      if (!isConnected) socket.once("connect", () => (isConnected = true));
    });
    sent.once("error", ({ code }: NodeJS.ErrnoException) =>
      resolve(isConnected ? { failure: `${method} ${code}` } : { isUnsent: true }),
    );
    sent.once("close", () => [late, unconnected].forEach(clearTimeout));
    sent.end(method === "POST" ? '{"name":"Boat"}' : undefined);
  });
}
