import { type Comparison, inTurns } from "./comparison.ts";
import type { Request } from "./load.ts";
import type { Setting } from "./measure.ts";
import { Server } from "./server.ts";

/** A server and what it is asked for, again and again. */
interface Side {
  bundle: string;
  env: Record<string, string>;
  request: Request;
}

/** Requests answered in a second. */
export function compareRates(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ rate }) => rate);
}

/** The time that a request takes of a server that is never idle. */
export function compareCosts(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ rate }) => 1e6 / rate);
}

/** Requests answered in a second of the processor: what else the machine does hardly matters, nor does waiting for a disk. */
export function compareCpu(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], ({ count, cpuSeconds }) => count / cpuSeconds);
}

export type Compare = typeof compareRates;

/** What a server did in a round. */
type Round = { count: number; rate: number; cpuSeconds: number };

async function exchange(
  { plan, load }: Setting,
  sides: [Side, Side],
  figure: (round: Round) => number,
): Promise<Comparison> {
  const servers = await Promise.all(sides.map(({ bundle, env }) => Server.start(bundle, "/items", env)));
  const [ours, other] = sides.map(({ request }, side) => async (ms: number) => {
    const server = servers[side] as Server;
    const before = server.cpuSeconds();
    const done = await load.run(server.port, request, ms);
    return figure({ ...done, cpuSeconds: server.cpuSeconds() - before });
  }) as [Sampler, Sampler];
  await ours(plan.warmUpMs);
  await other(plan.warmUpMs);
  const comparison = await inTurns(
    plan.rounds,
    () => ours(plan.roundMs),
    () => other(plan.roundMs),
  );
  for (const server of servers) await server.stop();
  return comparison;
}

type Sampler = (ms: number) => Promise<number>;
