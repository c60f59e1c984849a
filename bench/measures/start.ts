import { inTurns } from "../comparison.ts";
import type { Goal, Measure } from "../measure.ts";
import type { Framework } from "../options.ts";
import { Server } from "../server.ts";

const goals: Partial<Record<Framework, Goal>> = {
  hono: { atMost: 1.2 },
  h3: { atMost: 1.2 },
  express: { atMost: 1.5 },
  fastify: { atMost: 1.5 },
  koa: { atMost: 1.5 },
};

/** From nothing to the first healthy answer, against a server that has nothing to load. */
export const start: Measure = {
  name: "start",
  title: "Cold start, to bare node:http",
  unit: "ms",
  goal: (framework) => goals[framework],
  take: ({ plan, bundles, prepared }) =>
    inTurns(
      plan.starts,
      () => startTime(bundles.backend, prepared.small),
      () => startTime(bundles.bare),
    ),
};

/** The same when the database has to be made. */
export const firstStart: Measure = {
  name: "firstStart",
  title: "Cold start with a new database",
  unit: "ms",
  goal: () => undefined,
  take: ({ plan, bundles, data }) =>
    inTurns(
      plan.starts,
      () => startTime(bundles.backend, data.empty("new.db")),
      () => startTime(bundles.bare),
    ),
};

async function startTime(bundle: string, env?: Record<string, string>): Promise<number> {
  const server = await Server.start(bundle, "/health", env);
  await server.stop();
  return server.startMs;
}
