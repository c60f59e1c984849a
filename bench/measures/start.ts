import { compareInTurns } from "../comparison.ts";
import type { Measure } from "../measure.ts";
import { Server } from "../server.ts";

/** From process start to the first healthy answer, compared with a minimal app in the same framework. */
export const start: Measure = {
  name: "start",
  title: "Cold start, to a one-line app",
  unit: "ms",
  goal: () => ({ atMost: 1.2 }),
  take: ({ plan, bundles, prepared }) =>
    compareInTurns(
      plan.starts,
      () => timeStart(bundles.project, prepared.small),
      () => timeStart(bundles.oneLine),
    ),
};

/** The same when the database has to be created. */
export const firstStart: Measure = {
  name: "firstStart",
  title: "Cold start with a new database",
  unit: "ms",
  goal: () => undefined,
  take: ({ plan, bundles, data }) =>
    compareInTurns(
      plan.starts,
      () => timeStart(bundles.project, data.createEmpty("new.db")),
      () => timeStart(bundles.oneLine),
    ),
};

async function timeStart(bundle: string, env?: Record<string, string>): Promise<number> {
  const server = await Server.start(bundle, "/health", env);
  await server.stop();
  return server.startMs;
}
