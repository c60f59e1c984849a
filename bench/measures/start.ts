import { inTurns } from "../comparison.ts";
import type { Measure } from "../measure.ts";
import { Server } from "../server.ts";

/** From process start to the first healthy answer, compared with a minimal app in the same framework. */
export const start: Measure = {
  name: "start",
  title: "Cold start, to a one-line app",
  unit: "ms",
  goal: () => ({ atMost: 1.2 }),
  take: ({ plan, bundles, prepared }) =>
    inTurns(
      plan.starts,
      () => startTime(bundles.project, prepared.small),
      () => startTime(bundles.oneLine),
    ),
};

/** The same when the database has to be created. */
export const firstStart: Measure = {
  name: "firstStart",
  title: "Cold start with a new database",
  unit: "ms",
  goal: () => undefined,
  take: ({ plan, bundles, data }) =>
    inTurns(
      plan.starts,
      () => startTime(bundles.project, data.empty("new.db")),
      () => startTime(bundles.oneLine),
    ),
};

async function startTime(bundle: string, env?: Record<string, string>): Promise<number> {
  const server = await Server.start(bundle, "/health", env);
  await server.stop();
  return server.startMs;
}
