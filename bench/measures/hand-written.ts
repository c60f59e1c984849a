import type { Framework } from "../../backend/src/frameworks/names.ts";
import type { Comparison } from "../comparison.ts";
import { compareRates } from "../exchange.ts";
import { getting, posting } from "../load.ts";
import type { Measure, Setting } from "../measure.ts";

/** The frameworks that have goals of their own; the others must not be slower than by hand. */
const leading = new Set<Framework>(["express", "fastify", "hono", "koa"]);
const goals = { health: 1, items: 1.5, creation: 2.5 };

const goalFor = (name: keyof typeof goals) => (framework: Framework) => ({
  atLeast: leading.has(framework) ? goals[name] : 1,
});

/** A health check that asks the database. */
export const handWrittenHealth: Measure = {
  name: "handWrittenHealth",
  title: "GET /health, to a hand-written backend",
  unit: "requests/s",
  goal: goalFor("health"),
  take: (setting) => compareReads(setting, "/health"),
};

/** The newest 20 of 100,000 items. */
export const handWrittenItems: Measure = {
  name: "handWrittenItems",
  title: "GET /items, to a hand-written backend",
  unit: "requests/s",
  goal: goalFor("items"),
  take: (setting) => compareReads(setting, "/items"),
};

/** Creations on databases that start empty. */
export const handWrittenCreation: Measure = {
  name: "handWrittenCreation",
  title: "POST /items, to a hand-written backend",
  unit: "requests/s",
  goal: goalFor("creation"),
  take: (setting) => {
    const { bundles, data } = setting;
    const request = posting("/items", JSON.stringify({ name: "Item number 00000000" }));
    return compareRates(
      setting,
      { bundle: bundles.project, env: data.empty("ours.db"), request },
      { bundle: bundles.handWritten, env: data.empty("by-hand.db"), request },
    );
  },
};

function compareReads(setting: Setting, path: string): Promise<Comparison> {
  const { bundles, prepared } = setting;
  const request = getting(path);
  return compareRates(
    setting,
    { bundle: bundles.project, env: prepared.full, request },
    { bundle: bundles.handWritten, env: prepared.fullByHand, request },
  );
}
