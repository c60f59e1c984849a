import type { Framework } from "../../backend/src/frameworks/names.ts";
import { compareBothWays } from "../both.ts";
import type { Side } from "../exchange.ts";
import { anyId, createGet, createPost, type Request } from "../load.ts";
import { type Group, groups, type Measure, type Setting } from "../measure.ts";
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
const uses: Record<Group, { name: string; title: string }> = {
  postgres: { name: "postgres", title: "on PostgreSQL" },
  replicas: { name: "replicated", title: "on PostgreSQL, several replicas" },
  pooler: { name: "pooled", title: "through PgBouncer" },
};

/** Backends on PostgreSQL, compared with hand-written ones that have as many connections. */
export const onPostgres: Measure[] = groups.flatMap((group) => subjects.flatMap((subject) => measure(group, subject)));

function measure(group: Group, { name, title, goal, request, isCreation = false }: Subject): Measure[] {
  return compareBothWays({
    name: uses[group].name + name,
    group,
    title: `${title} ${uses[group].title}`,
    to: "a hand-written backend",
    goal: (framework: Framework) => ({ atLeast: leading.has(framework) ? goal : 1 }),
    find: async (setting) => {
      const { project, handWrittenPostgres } = setting.bundles;
      const [ours, byHand] = await findDatabases(setting, group, isCreation);
      const side = (bundle: string, env: { DATABASE_URL: string }): Side => ({
        bundle,
        env,
        request,
        replicas: group === "replicas" ? setting.replicas : 1,
        database: setting.postgres,
      });
      return [side(project, ours), side(handWrittenPostgres, byHand)];
    },
  });
}

async function findDatabases({ postgres }: Setting, group: Group, isEmpty: boolean) {
  const direct = isEmpty
    ? [await postgres.createEmpty(), await postgres.createEmpty()]
    : [postgres.ours, postgres.byHand];
  const [ours, byHand] = group === "pooler" ? direct.map((one) => postgres.pooled(one)) : direct;
  if (!ours || !byHand) throw new Error("there are two databases");
  return [ours, byHand] as const;
}
