import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { frameworks, simpleFeatures, sources } from "../tool/src/new/choices.ts";
import { fieldTypes } from "../tool/src/new/field-types.ts";
import { writeQuery } from "../tool/src/new/query.ts";
import type { RequestInput } from "../tool/src/new/request.ts";
import { createRandom, createRequest } from "../tool/test/studio/random.ts";

/** What one core of a public generator can do. */
export interface Previews {
  previews: number;
  /** With a second field, and some with a feature, another resource or a webhook. */
  ordinary: Cost;
  /** With up to six more resources, and everything else at random. */
  large: Cost;
  /** The most memory that the server had, in MB. */
  memory: number;
}

interface Cost {
  /** CPU time of the server for each preview, in milliseconds. */
  cpuMs: number;
  /** Previews for each second of CPU time. */
  rate: number;
}

export const previewGoals = { rate: { atLeast: 200 }, memory: { atMost: 200 } };

/** As its image starts it. */
const flags = ["--max-old-space-size=96", "--max-semi-space-size=8"];
const clockTicks = 100;

/** Asks `dory studio --public` for previews of different projects, several at a time. */
export async function measurePreviews({ quick }: { quick: boolean }): Promise<Previews> {
  if (process.platform !== "linux") throw new Error("Only Linux reports the CPU time and memory of another process.");
  const program = join(import.meta.dirname, "../tool/bin/dory.js");
  const env = { ...process.env, PORT: "18499", RATE_LIMIT: "1000000" };
  const server = spawn(process.execPath, [...flags, program, "studio", "--public"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = server.pid ?? 0;
  try {
    await once(createInterface(server.stdout), "line");
    const random = createRandom(7);
    const previews = quick ? 1000 : 4000;
    const measureCost = async (create: (index: number) => RequestInput): Promise<Cost> => {
      const queries = Array.from({ length: previews + 500 }, (_, index) => writeQuery(create(index)));
      // The first ones also compile the code.
      await askForAll(queries.slice(0, 500));
      const before = readCpu(pid);
      await askForAll(queries.slice(500));
      const cpuMs = ((readCpu(pid) - before) * 1000) / previews;
      return { cpuMs, rate: 1000 / cpuMs };
    };
    const ordinary = await measureCost(createOrdinary);
    const large = await measureCost(() => createRequest(random));
    return { previews, ordinary, large, memory: readMemory(pid) };
  } finally {
    server.kill("SIGTERM");
    await once(server, "close");
  }
}

/** No two are the same. */
function createOrdinary(index: number): RequestInput {
  const choose = <T>(list: readonly T[], step: number): T => list[(index * step) % list.length] as T;
  const types = fieldTypes.filter((type) => type !== "enum" && type !== "ref");
  return {
    name: `api-${index}`,
    framework: choose(frameworks, 1),
    fields: ["name:string(1..200)", `more${index % 97}:${choose(types, 7)}`],
    features: simpleFeatures.filter((_, at) => index % (3 + at) === 0),
    resources: index % 4 === 0 ? [`orders: note:string?, amount:${choose(types, 3)}`] : [],
    webhooks: index % 6 === 0 ? [choose(sources, 5)] : [],
  };
}

export function printPreviews({ previews, ordinary, large, memory }: Previews): string {
  const mark = (isMet: boolean) => (isMet ? "✓" : "✗");
  const printCost = ({ rate, cpuMs }: Cost) =>
    `${rate.toFixed(0)} for each second of CPU time, ${cpuMs.toFixed(2)} ms each  (goal: at least ${previewGoals.rate.atLeast}) ${mark(rate >= previewGoals.rate.atLeast)}`;
  return [
    `${previews} previews of different projects of each kind, by dory studio --public`,
    `  ordinary ones  ${printCost(ordinary)}`,
    `  large ones     ${printCost(large)}`,
    `  most memory    ${memory.toFixed(0)} MB  (goal: at most ${previewGoals.memory.atMost} MB) ${mark(memory <= previewGoals.memory.atMost)}`,
  ].join("\n");
}

async function askForAll(queries: string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const waiting = [...queries];
  const client = async () => {
    for (let query = waiting.pop(); query !== undefined; query = waiting.pop()) await ask(query, agent);
  };
  await Promise.all(Array.from({ length: 8 }, client));
  agent.destroy();
}

function ask(query: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", Origin: "http://127.0.0.1:18499" };
    const sent = request("http://127.0.0.1:18499/api/preview", { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      answer.once("end", () => {
        if (answer.statusCode === 200 && JSON.parse(text).digest !== null) resolve();
        else reject(new Error(`${query}: ${answer.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.once("error", reject).end(JSON.stringify({ query }));
  });
}

/** Seconds in user and system mode, of all threads. */
function readCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / clockTicks;
}

function readMemory(pid: number): number {
  const [, kilobytes = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
