import { type Comparison, summarize, takeTurns } from "./comparison.ts";
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
  database?: { cpuSeconds(): number };
}

/** What a side did in a round. */
export interface Round {
  count: number;
  rate: number;
  /** The CPU seconds of the servers, and of their database if it has processes of its own. */
  cpuSeconds: number;
  databaseSeconds: number;
}

/** What both sides did in each round. */
export type Rounds = [ours: Round, other: Round][];

/** How both sides are compared, by one number for each. */
export function compareRounds(rounds: Rounds, calculate: (round: Round) => number): Comparison {
  return summarize(rounds.map(([ours, other]) => [calculate(ours), calculate(other)]));
}

/** Requests answered in a second. */
export async function compareRates(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return compareRounds(await exchange(setting, [ours, other]), ({ rate }) => rate);
}

/** The time for a request to a server that is never idle. */
export async function compareCosts(setting: Setting, ours: Side, other: Side): Promise<Comparison> {
  return compareRounds(await exchange(setting, [ours, other]), ({ rate }) => 1e6 / rate);
}

/** Both sides answer requests, in turns. */
export async function exchange({ plan, load }: Setting, sides: [Side, Side]): Promise<Rounds> {
  const servers = await Promise.all(sides.map(startReplicas));
  const [ours, other] = sides.map(({ request, database }, side) => async (ms: number) => {
    const replicas = servers[side] ?? [];
    const ports = replicas.map(({ port }) => port);
    const read = () => ({
      own: replicas.reduce((sum, server) => sum + server.cpuSeconds(), 0),
      database: database?.cpuSeconds() ?? 0,
    });
    const before = read();
    const done = await load.run(ports, request, ms);
    const after = read();
    return { ...done, cpuSeconds: after.own - before.own, databaseSeconds: after.database - before.database };
  }) as [Sampler, Sampler];
  // Replicas share the cores: with more of them, each needs longer until its code is compiled.
  const warmUpMs = plan.warmUpMs * Math.max(...servers.map(({ length }) => length));
  await ours(warmUpMs);
  await other(warmUpMs);
  const rounds = await takeTurns(
    plan.rounds,
    () => ours(plan.roundMs),
    () => other(plan.roundMs),
  );
  await Promise.all(servers.flat().map((server) => server.stop()));
  return rounds;
}

function startReplicas({ bundle, env, replicas = 1 }: Side): Promise<Server[]> {
  return Promise.all(Array.from({ length: replicas }, () => Server.start(bundle, "/items", env)));
}

type Sampler = (ms: number) => Promise<Round>;
