import { type Comparison, compareInTurns } from "./comparison.ts";
import type { Request } from "./load.ts";
import type { Setting } from "./measure.ts";
import { Server } from "./server.ts";

/** A server, or replicas of it, and the request that is repeated. */
export interface Side {
  bundle: string;
  env: Record<string, string>;
  request: Request;
  replicas?: number;
  /** What else works for this side. */
  helper?: { cpuSeconds(): number };
}

/** Requests answered in a second. */
export function compareRates(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ rate }) => rate);
}

/** The time for a request to a server that is never idle. */
export function compareCosts(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ rate }) => 1e6 / rate);
}

/** Requests answered in a second of CPU time: other load on the machine and waiting for a disk hardly matter. */
export function compareCpu(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ count, cpuSeconds }) => count / cpuSeconds);
}

export type Compare = typeof compareRates;

/** The result of a round. */
type Round = { count: number; rate: number; cpuSeconds: number };

async function exchange(
  { plan, load }: Setting,
  sides: [Side, Side],
  calculate: (round: Round) => number,
): Promise<Comparison> {
  const servers = await Promise.all(sides.map(startReplicas));
  const [ours, other] = sides.map(({ request, helper }, side) => async (ms: number) => {
    const replicas = servers[side] ?? [];
    const workers = helper ? [...replicas, helper] : replicas;
    const readCpu = () => workers.reduce((sum, worker) => sum + worker.cpuSeconds(), 0);
    const before = readCpu();
    const done = await load.run(
      replicas.map(({ port }) => port),
      request,
      ms,
    );
    return calculate({ ...done, cpuSeconds: readCpu() - before });
  }) as [Sampler, Sampler];
  await ours(plan.warmUpMs);
  await other(plan.warmUpMs);
  const comparison = await compareInTurns(
    plan.rounds,
    () => ours(plan.roundMs),
    () => other(plan.roundMs),
  );
  for (const server of servers.flat()) await server.stop();
  return comparison;
}

function startReplicas({ bundle, env, replicas = 1 }: Side): Promise<Server[]> {
  return Promise.all(Array.from({ length: replicas }, () => Server.start(bundle, "/items", env)));
}

type Sampler = (ms: number) => Promise<number>;
