import type { Framework } from "../../backend/src/frameworks/names.ts";
import { compareBothWays } from "../both.ts";
import type { Side } from "../exchange.ts";
import { anyId, createGet, createPost, type Request } from "../load.ts";
import type { Measure, Setting } from "../measure.ts";

/** The frameworks with higher goals; the others must not be slower than a hand-written backend. */
export const leading = new Set<Framework>(["express", "fastify", "hono", "koa"]);

/** A request, and the goal in the frameworks with higher goals. */
interface Subject {
  title: string;
  goal: number;
  find(setting: Setting): [ours: Side, other: Side];
}

const anyPage = createGet(`/items?cursor=${anyId}`);

const subjects: Record<string, Subject> = {
  /** A health check that includes the database. */
  handWrittenHealth: { title: "GET /health", goal: 1, find: findReads(createGet("/health")) },
  /** The newest 20 of 100,000 items. */
  handWrittenItems: { title: "GET /items", goal: 1.5, find: findReads(createGet("/items")) },
  /** Any 20 of them: each request asks for another page. */
  handWrittenPages: { title: "GET /items, all pages", goal: 2, find: findReads(anyPage) },
  /** Creations on databases that start empty. */
  handWrittenCreation: { title: "POST /items", goal: 2.5, find: findCreations },
};

export const handWritten: Measure[] = Object.entries(subjects).flatMap(([name, { title, goal, find }]) =>
  compareBothWays({
    name,
    title,
    to: "a hand-written backend",
    goal: (framework) => ({ atLeast: leading.has(framework) ? goal : 1 }),
    find,
  }),
);

/** Pages that differ, compared with the same queries in a `node:http` server that has no framework and does nothing else. */
export const barePages = compareBothWays({
  name: "barePages",
  title: "GET /items, all pages",
  to: "bare node:http",
  goal: () => ({ atLeast: 0.6 }),
  find: ({ bundles, prepared }) => [
    { bundle: bundles.project, env: prepared.full, request: anyPage },
    { bundle: bundles.barePages, env: prepared.fullByHand, request: anyPage },
  ],
});

function findCreations({ bundles, data }: Setting): [Side, Side] {
  const request = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));
  return [
    { bundle: bundles.project, env: data.createEmpty("ours.db"), request },
    { bundle: bundles.handWritten, env: data.createEmpty("by-hand.db"), request },
  ];
}

function findReads(request: Request): Subject["find"] {
  return ({ bundles, prepared }) => [
    { bundle: bundles.project, env: prepared.full, request },
    { bundle: bundles.handWritten, env: prepared.fullByHand, request },
  ];
}
