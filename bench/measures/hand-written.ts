import type { Framework } from "../../backend/src/frameworks/names.ts";
import { compareBothWays } from "../both.ts";
import type { Comparison } from "../comparison.ts";
import type { Compare } from "../exchange.ts";
import { anyId, createGet, createPost } from "../load.ts";
import type { Measure, Setting } from "../measure.ts";

/** The frameworks with higher goals; the others must not be slower than a hand-written backend. */
export const leading = new Set<Framework>(["express", "fastify", "hono", "koa"]);
const goals = { health: 1, items: 1.5, pages: 2, creation: 2.5 };

const createGoal = (name: keyof typeof goals) => (framework: Framework) => ({
  atLeast: leading.has(framework) ? goals[name] : 1,
});

/** A request, and how both sides are compared. */
interface Subject {
  title: string;
  goal: keyof typeof goals;
  take(setting: Setting, compare: Compare): Promise<Comparison>;
}

const subjects: Record<string, Subject> = {
  /** A health check that includes the database. */
  handWrittenHealth: { title: "GET /health", goal: "health", take: compareReads("/health") },
  /** The newest 20 of 100,000 items. */
  handWrittenItems: { title: "GET /items", goal: "items", take: compareReads("/items") },
  /** Any 20 of them: each request asks for another page. */
  handWrittenPages: { title: "GET /items, all pages", goal: "pages", take: compareReads(`/items?cursor=${anyId}`) },
  /** Creations on databases that start empty. */
  handWrittenCreation: { title: "POST /items", goal: "creation", take: compareCreations },
};

export const handWritten: Measure[] = Object.entries(subjects).flatMap(([name, { title, goal, take }]) =>
  compareBothWays({
    name,
    titles: [`${title}, to a hand-written backend`, `${title}, to it, by CPU time`],
    goal: createGoal(goal),
    take,
  }),
);

function compareCreations(setting: Setting, compare: Compare): Promise<Comparison> {
  const { bundles, data } = setting;
  const request = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));
  return compare(
    setting,
    { bundle: bundles.project, env: data.createEmpty("ours.db"), request },
    { bundle: bundles.handWritten, env: data.createEmpty("by-hand.db"), request },
  );
}

function compareReads(path: string): Subject["take"] {
  const request = createGet(path);
  return (setting, compare) => {
    const { bundles, prepared } = setting;
    return compare(
      setting,
      { bundle: bundles.project, env: prepared.full, request },
      { bundle: bundles.handWritten, env: prepared.fullByHand, request },
    );
  };
}
