import { type Comparison, compareInTurns } from "./comparison.ts";
import type { Request } from "./load.ts";
import type { Setting } from "./measure.ts";
import { Server } from "./server.ts";

/** A server and the request that is repeated. */
interface Side {
  bundle: string;
  env: Record<string, string>;
  request: Request;
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
  const servers = await Promise.all(sides.map(({ bundle, env }) => Server.start(bundle, "/items", env)));
  const [ours, other] = sides.map(({ request }, side) => async (ms: number) => {
    const server = servers[side] as Server;
    const before = server.cpuSeconds();
    const done = await load.run(server.port, request, ms);
    return calculate({ ...done, cpuSeconds: server.cpuSeconds() - before });
  }) as [Sampler, Sampler];
  await ours(plan.warmUpMs);
  await other(plan.warmUpMs);
  const comparison = await compareInTurns(
    plan.rounds,
    () => ours(plan.roundMs),
    () => other(plan.roundMs),
  );
  for (const server of servers) await server.stop();
  return comparison;
}

type Sampler = (ms: number) => Promise<number>;
