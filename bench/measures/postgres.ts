import type { Framework } from "../../backend/src/frameworks/names.ts";
import { compareBothWays } from "../both.ts";
import type { Side } from "../exchange.ts";
import { anyId, createGet, createPost, type Request } from "../load.ts";
import type { Measure, Setting } from "../measure.ts";
import { leading } from "./hand-written.ts";

/** What is asked for, and the goal in the frameworks with higher goals. */
interface Subject {
  name: string;
  title: string;
  goal: number;
  request: Request;
  /** Creations need databases that start empty. */
  isCreation?: boolean;
}

const subjects: Subject[] = [
  { name: "Items", title: "GET /items", goal: 1.5, request: createGet("/items") },
  { name: "Pages", title: "GET /items, all pages", goal: 1.2, request: createGet(`/items?cursor=${anyId}`) },
  {
    name: "Creation",
    title: "POST /items",
    goal: 1.5,
    request: createPost("/items", JSON.stringify({ name: "Item number 00000000" })),
    isCreation: true,
  },
];

/** How the database is used. */
interface Use {
  name: string;
  title: string;
  replicas?: number;
  isPooled?: boolean;
}

const uses: Use[] = [
  { name: "postgres", title: "on PostgreSQL" },
  { name: "replicated", title: "on PostgreSQL, 4 replicas", replicas: 4 },
  { name: "pooled", title: "through PgBouncer", isPooled: true },
];

/** Backends on PostgreSQL, compared with hand-written ones that have as many connections. */
export const onPostgres: Measure[] = uses.flatMap((use) => subjects.flatMap((subject) => measure(use, subject)));

function measure(use: Use, { name, title, goal, request, isCreation = false }: Subject): Measure[] {
  return compareBothWays({
    name: use.name + name,
    isOnPostgres: true,
    titles: [`${title} ${use.title}, to a hand-written backend`, `${title} ${use.title}, by CPU time`],
    goal: (framework: Framework) => ({ atLeast: leading.has(framework) ? goal : 1 }),
    take: async (setting, compare) => {
      const { project, handWrittenPostgres } = setting.bundles;
      const [ours, byHand] = await findDatabases(setting, use, isCreation);
      const side = (bundle: string, env: { DATABASE_URL: string }): Side => ({
        bundle,
        env,
        request,
        replicas: use.replicas ?? 1,
        helper: setting.postgres,
      });
      return compare(setting, side(project, ours), side(handWrittenPostgres, byHand));
    },
  });
}

async function findDatabases({ postgres }: Setting, { isPooled }: Use, isEmpty: boolean) {
  const direct = isEmpty
    ? [await postgres.createEmpty(), await postgres.createEmpty()]
    : [postgres.ours, postgres.byHand];
  const [ours, byHand] = isPooled ? direct.map((one) => postgres.pooled(one)) : direct;
  if (!ours || !byHand) throw new Error("there are two databases");
  return [ours, byHand] as const;
}
