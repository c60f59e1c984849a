import { log } from "../../../log.ts";
import { Problem } from "../../../problem.ts";
import type { Query } from "./rows.ts";

/** How long an idempotency key and a cursor outlive their item. */
const keepMs = 30 * 86_400_000;
const pauseMs = 60_000;
/** Rows of one deletion: others write in between. */
const limit = 1000;

/** Forgets keys and positions that have outlived their item for long enough, from time to time. */
export function pruneLater(name: string, query: Query): void {
  const pruneAll = async () => {
    for (const table of [`${name}_keys`, `${name}_deleted`]) while ((await prune(table, query)) === limit);
  };
  const report = (error: unknown) => {
    if (!(error instanceof Problem)) log("error", "old keys and positions were not deleted", { error });
  };
  setInterval(() => pruneAll().catch(report), pauseMs).unref();
}

/** Deletes some of the oldest rows; returns how many. */
export async function prune(table: string, query: Query): Promise<number> {
  const key = table.endsWith("_keys") ? "key" : "id";
  const old = `SELECT ${key} FROM "${table}" WHERE kept_at < $1 ORDER BY kept_at LIMIT ${limit}`;
  return (await query(`DELETE FROM "${table}" WHERE ${key} IN (${old}) RETURNING 1`, [`${Date.now() - keepMs}`]))
    .length;
}
