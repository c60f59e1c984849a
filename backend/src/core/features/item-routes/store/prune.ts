import { log } from "../../../log.ts";
import { Problem } from "../../../problem.ts";
import type { Query } from "../../../store/store.ts";

/** How long an idempotency key and a cursor outlive their item. */
const keepMs = 30 * 86_400_000;
const pauseMs = 600_000;
/** Rows of one deletion: others write in between. */
const limit = 1000;

/** What has to be known about a database: an object that is the same for all its tables, and its SQL for skipping locked rows. */
interface Database {
  access: object;
  skipLocked?: string;
}

/** The tables of each database. */
const pruned = new WeakMap<object, string[]>();

/** Forgets keys and positions that have outlived their item for long enough, from time to time. */
export function pruneLater(name: string, query: Query, { access, skipLocked }: Database): void {
  const own = [`${name}_keys`, `${name}_deleted`];
  const others = pruned.get(access);
  others?.push(...own);
  if (others) return;
  pruned.set(access, own);
  const report = (error: unknown) => {
    if (!(error instanceof Problem)) log("error", "old keys and positions were not deleted", { error });
  };
  setInterval(() => pruneAll(own, query, skipLocked).catch(report), pauseMs).unref();
}

/** One statement for all tables, and more only if there is something to delete: every replica does this. */
export async function pruneAll(tables: string[], query: Query, skipLocked?: string): Promise<void> {
  const isOld = tables.map((table) => `EXISTS (SELECT 1 FROM "${table}" WHERE kept_at < $1)`);
  const [found = []] = await query(`SELECT ${isOld}`, [findEnd()]);
  for (const table of tables.filter((_, index) => found[index]))
    while ((await prune(table, query, skipLocked)) === limit);
}

/** Deletes some of the oldest rows; returns how many. Replicas that do so at the same time do not wait for each other. */
export async function prune(table: string, query: Query, skipLocked = ""): Promise<number> {
  const key = table.endsWith("_keys") ? "key" : "id";
  const old = `SELECT ${key} FROM "${table}" WHERE kept_at < $1 ORDER BY kept_at LIMIT ${limit} ${skipLocked}`;
  return (await query(`DELETE FROM "${table}" WHERE ${key} IN (${old}) RETURNING 1`, [findEnd()])).length;
}

const findEnd = () => `${Date.now() - keepMs}`;
