import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { log } from "../log.ts";
import { isLocked } from "./migrations.ts";

interface WantedIndex {
  table: string;
  field: string;
  isUnique: boolean;
}

/** Builds an index while others write, or finishes what a process began that was killed. Returns the name of the index. */
export async function buildIndex(db: Client, wanted: WantedIndex): Promise<string> {
  const { table, field, isUnique } = wanted;
  for (;;) {
    const index = await findIndex(db, wanted);
    if (index?.isValid) return index.name;
    if (index?.isBuilding) await sleep(1000);
    else if (index) await db.query(`DROP INDEX CONCURRENTLY ${index.sqlName}`).catch(unlessLocked);
    else {
      log("info", "building an index: this may take a while", { table, field });
      const create = `CREATE ${isUnique ? "UNIQUE " : ""}INDEX CONCURRENTLY ON "${table}" ("${field}")`;
      await db.query(create).catch(async (error) => {
        if (isLocked(error)) return;
        const left = await findIndex(db, wanted);
        if (left) await db.query(`DROP INDEX CONCURRENTLY ${left.sqlName}`);
        throw error;
      });
    }
  }
}

/** An index of one field and all rows. */
export async function findIndex(db: Client, { table, field, isUnique }: WantedIndex) {
  const text = `
    SELECT relname, format('%I.%I', relnamespace::regnamespace::text, relname), indisvalid,
      EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid)
    FROM pg_index JOIN pg_class ON oid = indexrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = to_regclass('"${table}"') AND attname = '${field}' AND indnatts = 1 AND indisunique >= ${isUnique}
      AND indpred IS NULL AND indexprs IS NULL ORDER BY indisvalid DESC LIMIT 1`;
  const { rows } = await db.query<[string, string, boolean, boolean]>({ text, rowMode: "array" });
  return rows.map(([name, sqlName, isValid, isBuilding]) => ({ name, sqlName, isValid, isBuilding }))[0];
}

function unlessLocked(error: unknown): void {
  if (!isLocked(error)) throw error;
}
