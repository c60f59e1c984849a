import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../fault.ts";
import type { BackendState, BenchResult, BenchRound } from "./api.ts";

const rounds = 5;
const roundMs = 1000;
const connections = 16;

/** Asks the backends for the same, in turns: what else this machine does then slows each of them down alike. */
export async function runBench(
  backends: (BackendState & { url: string })[],
  path: string,
  { signal, onRound }: { signal: AbortSignal; onRound(round: BenchRound): void },
): Promise<BenchResult> {
  const rates = backends.map((): number[] => []);
  for (const backend of backends) await measureRate(backend, path, roundMs / 2, signal);
  for (let round = 1; round <= rounds; round++)
    for (const [index, backend] of backends.entries()) {
      const rate = await measureRate(backend, path, roundMs, signal);
      rates[index]?.push(rate);
      onRound({ backend: backend.key, round, rounds, rate: Math.round(rate) });
    }
  const [first, second] = rates;
  return {
    request: `GET ${path}`,
    backends: backends.map(({ key, framework }, index) => ({
      backend: key,
      framework,
      ...summarize(rates[index] ?? [], 0),
    })),
    ratio:
      first && second
        ? summarize(
            first.map((rate, index) => rate / (second[index] ?? rate)),
            2,
          )
        : null,
  };
}

function summarize(values: number[], digits: number): { median: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const round = (value = 0) => Number(value.toFixed(digits));
  return { median: round(sorted[Math.floor(sorted.length / 2)]), min: round(sorted[0]), max: round(sorted.at(-1)) };
}

/** Answers a second, of several connections that ask again as soon as they are answered. */
async function measureRate(
  { url, tokens }: BackendState & { url: string },
  path: string,
  ms: number,
  signal: AbortSignal,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = tokens[0] === undefined ? {} : { Authorization: `Bearer ${tokens[0]}` };
  const { hostname, port } = new URL(url);
  const end = performance.now() + ms;
  let answered = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get({ hostname, port, path, agent, headers }, (message) => {
        message.resume().once("end", resolve).once("error", reject);
        if (message.statusCode === 200) answered++;
        else reject(new Fault("bench", `${url}${path} answers with ${message.statusCode}, not with 200.`));
      }).once("error", (error) => reject(new Fault("bench", `${url} does not answer (${error.message}).`)));
    });
  const repeat = async () => {
    while (performance.now() < end && !signal.aborted) await ask();
  };
  try {
    await Promise.all(Array.from({ length: connections }, repeat));
    if (signal.aborted) throw new Fault("interrupted", "Interrupted.");
  } finally {
    agent.destroy();
    await sleep(20);
  }
  return (answered * 1000) / ms;
}
