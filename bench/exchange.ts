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
  return exchange(setting, [ours, other], (rate) => rate);
}

/** The time that a request takes of a server that is never idle. */
export function compareCosts(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return exchange(setting, [ours, other], (rate) => 1e6 / rate);
}

async function exchange(
  { plan, load }: Setting,
  [ours, other]: [Side, Side],
  figure: (rate: number) => number,
): Promise<Comparison> {
  const servers = [
    await Server.start(ours.bundle, "/items", ours.env),
    await Server.start(other.bundle, "/items", other.env),
  ] as const;
  const rateOfOurs = (ms: number) => load.rate(servers[0].port, ours.request, ms);
  const rateOfOther = (ms: number) => load.rate(servers[1].port, other.request, ms);
  await rateOfOurs(plan.warmUpMs);
  await rateOfOther(plan.warmUpMs);
  const comparison = await inTurns(
    plan.rounds,
    async () => figure(await rateOfOurs(plan.roundMs)),
    async () => figure(await rateOfOther(plan.roundMs)),
  );
  for (const server of servers) await server.stop();
  return comparison;
}
