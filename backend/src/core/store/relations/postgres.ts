import type { Client } from "pg";
import { StartError, unavailable } from "../../problem.ts";
import { findConstraints } from "../constraints.ts";
import { type Change, changeShortly } from "../migrations.ts";
import type { Table } from "../store.ts";
import { listReferences, missingReferences, type WithReferences } from "./relations.ts";

/** A foreign key for each reference field that has none yet, or none that holds for all rows. */
export async function planForeignKeys(db: Client, { name, references = {} }: WithReferences): Promise<Change[]> {
  const found = await findConstraints(db, name, "foreign key");
  const missing = Object.entries(references).filter(([field]) => !found.get(field)?.isValid);
  return missing.map(
    ([field, to]) =>
      () =>
        addForeignKey(db, name, field, `"${to}"`),
  );
}

/** New rows are checked from the first step on, the others in the second, while all can be read and written. */
async function addForeignKey(db: Client, table: string, field: string, to: string): Promise<void> {
  const find = async () => (await findConstraints(db, table, "foreign key")).get(field)?.name;
  if (!(await find()))
    await changeShortly(db, `ALTER TABLE "${table}" ADD FOREIGN KEY ("${field}") REFERENCES ${to} (id) NOT VALID`);
  const name = await find();
  await db.query(`ALTER TABLE "${table}" VALIDATE CONSTRAINT "${name}"`).catch(async (error) => {
    if (error.code !== foreignKeyViolation) throw error;
    await changeShortly(db, `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
    throw new StartError(`"${field}" of "${table}" has values that are not ids of ${to}; change those first`);
  });
}

type Query = (text: string, values: unknown[]) => Promise<unknown[]>;

/** Explains a creation that a foreign key refuses: which of its references do not exist. */
export function explainMissing<T extends object>(table: Table<T>, resource: WithReferences, query: Query): void {
  const { create } = table;
  table.create = (item, creation) =>
    create(item, creation).catch(async (error) => {
      if (error.code !== foreignKeyViolation) throw error;
      const references = listReferences(resource, item);
      const found = await Promise.all(references.map(({ find, id }) => query(find, [id])));
      const lost = references.filter((_, index) => found[index]?.length === 0);
      // What was missing may exist by now.
      throw lost.length > 0 ? missingReferences(lost) : unavailable();
    });
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const foreignKeyViolation = "23503";
