import type { Client } from "pg";
import { buildIndex, findIndex } from "../../../store/indexes.ts";
import { type Change, changeShortly } from "../../../store/migrations.ts";
import { type PostgresHooks, type PostgresTable, readConstraint } from "../../../store/postgres.ts";
import { refuseWrite, replayCreation } from "../../../store/store.ts";
import { pruneLater } from "./prune.ts";
import { continueLists, type Rows } from "./rows.ts";
import { printAdditionalTables } from "./tables.ts";

/** Tables whose single items can be changed. */
export const postgres: PostgresHooks = {
  extendTable(table, access) {
    const { resource } = table;
    const { onOpen, query } = access;
    onOpen((db) => planAdditionalTables(db, resource.name));
    const queryText: QueryText = async (text, values) => (await query<string>(text, values)).flat();
    pruneLater(resource.name, query, { access, skipLocked: "FOR UPDATE SKIP LOCKED" });
    return {
      createOnce: makeCreateOnce(table, queryText),
      list: (list) => continueLists(list, resource.name, query),
      hasDeletions: true,
      members: { rows: createRows(table, queryText) },
    };
  },
};

type QueryText = (text: string, values: unknown[]) => Promise<string[]>;

const now = "((extract(epoch FROM now()) * 1000)::bigint)";

/** The additional tables of a table. Those of the first versions have no `kept_at`. */
async function planAdditionalTables(db: Client, name: string): Promise<Change[]> {
  const tables = [`${name}_keys`, `${name}_deleted`];
  const changes: Change[] = [];
  for (const table of tables) {
    const found = await db.query(`SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('"${table}"')`);
    if (found.rowCount === 0) return [() => changeShortly(db, printAdditionalTables(name, { id: "uuid", now }))];
    if (!found.rows.some(({ attname }) => attname === "kept_at"))
      changes.push(() => changeShortly(db, `ALTER TABLE "${table}" ADD COLUMN kept_at bigint NOT NULL DEFAULT ${now}`));
    const index = { table, field: "kept_at", isUnique: false };
    if (!(await findIndex(db, index))?.isValid) changes.push(async () => void (await buildIndex(db, index)));
  }
  return changes;
}

/** Each change is one statement. */
function createRows<T extends object>(table: PostgresTable<T>, query: QueryText): Rows<T> {
  const { resource, extensions, select, toValues } = table;
  const { name, columns } = resource;
  // A locked row is read in its latest version, even if it was changed after the statement began.
  const read = `now AS (${select("WHERE id = $1 FOR UPDATE")})`;
  const isSame = `"${name}".insert_order = now.insert_order AND now.item = $2`;
  const keep = `kept AS (
    INSERT INTO "${name}_keys" (key, item)
    SELECT idempotency_key, $2 FROM "${name}", now WHERE ${isSame} AND idempotency_key IS NOT NULL
    ON CONFLICT (key) DO UPDATE SET item = $2, kept_at = DEFAULT WHERE "${name}_keys".item IS NULL)`;
  const values = Object.keys(columns).map((field, index) => `"${field}" = $${index + 3}`);
  const swap = `WITH ${read}, ${keep} UPDATE "${name}" SET ${values} FROM now WHERE ${isSame} RETURNING id`;
  const remove = `
    WITH ${read}, ${keep}, gone AS (
      DELETE FROM "${name}" USING now WHERE ${isSame} RETURNING id, "${name}".insert_order)
    INSERT INTO "${name}_deleted" (id, insert_order) SELECT id, insert_order FROM gone RETURNING id`;
  const change = async (text: string, [id, stored]: [string, string], item?: T) => {
    const changed = await query(text, [id, stored, ...(item ? toValues(item) : [])]).catch((error) =>
      refuseWrite(extensions, { constraint: readConstraint(error), id, item }, error),
    );
    return changed.length === 1;
  };
  return {
    find: async (id) => (await query(`SELECT item FROM (${select("WHERE id = $1")}) found`, [id]))[0],
    swap: (id, stored, item) => change(swap, [id, stored], item),
    remove: (id, stored) => change(remove, [id, stored]),
  };
}

/**
 * Creates an item with an idempotency key, or returns the first answer to that key; nothing if a value is taken. A used
 * key stays claimed after its item is deleted: a second claim fails, and the insert is rolled back with it.
 */
function makeCreateOnce<T extends object>({ resource, insert, byKey, toValues }: PostgresTable<T>, query: QueryText) {
  const { name, columns } = resource;
  const last = `$${Object.keys(columns).length + 3}`;
  const claim = `WITH made AS (${insert}) INSERT INTO "${name}_keys" (key) SELECT ${last} FROM made RETURNING key`;
  const first = `SELECT coalesce((SELECT item FROM "${name}_keys" WHERE key = $1), (${byKey}))`;
  return async (item: T, made: { id: string; createdAt: string }, key: string): Promise<string | undefined> => {
    const [claimed] = await query(claim, [made.id, ...toValues(item), made.createdAt, key]).catch((error) => {
      if (readConstraint(error) === "unique") return [];
      throw error;
    });
    if (claimed) return JSON.stringify(made);
    const [answered] = await query(first, [key]);
    return answered ? replayCreation(answered, item) : undefined;
  };
}
