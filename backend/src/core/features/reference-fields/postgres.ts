import type { Client } from "pg";
import { StartError } from "../../problem.ts";
import { findConstraints } from "../../store/constraints.ts";
import { buildIndex, findIndex } from "../../store/indexes.ts";
import { type Change, changeShortly, isEmpty } from "../../store/migrations.ts";
import { type PostgresHooks, readConstraint } from "../../store/postgres.ts";
import { extendReferences, listReferences, type Reference } from "./references.ts";

export const postgres: PostgresHooks = {
  extendTable(table, { onOpen, locate, query }) {
    const references = listReferences(table.resource, locate);
    const extension = extendReferences(references, query);
    // Others may refer to it.
    if (references.length === 0) return extension;
    const { name } = table.resource;
    onOpen((db) => planForeignKeys(db, name, references));
    onOpen(async (db) =>
      table.extensions.some(({ hasDeletions }) => hasDeletions) ? planIndexes(db, name, references) : [],
    );
    return { ...extension, mayWait: true };
  },
};

/** A foreign key for each reference field that has none yet, or none that holds for all rows. */
async function planForeignKeys(db: Client, table: string, references: Reference[]): Promise<Change[]> {
  const found = await findConstraints(db, table, "foreign key");
  const missing = references.filter(({ field }) => !found.get(field)?.isValid);
  return missing.map((reference) => () => addForeignKey(db, table, reference));
}

/** New rows are checked from the first step on, the others in the second, while all can be read and written. */
async function addForeignKey(db: Client, table: string, { field, table: to }: Reference): Promise<void> {
  const find = async () => (await findConstraints(db, table, "foreign key")).get(field)?.name;
  if (!(await find()))
    await changeShortly(db, `ALTER TABLE "${table}" ADD FOREIGN KEY ("${field}") REFERENCES "${to}" (id) NOT VALID`);
  const name = await find();
  await db.query(`ALTER TABLE "${table}" VALIDATE CONSTRAINT "${name}"`).catch(async (error) => {
    if (readConstraint(error) !== "foreign key") throw error;
    await changeShortly(db, `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
    throw new StartError(`"${field}" of "${table}" has values that are not ids of "${to}"; change those first`);
  });
}

/** Without these indexes, each deletion would scan the tables that may refer to the item. */
async function planIndexes(db: Client, table: string, references: Reference[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { field } of references) {
    const wanted = { table, field, isUnique: false };
    if ((await findIndex(db, wanted))?.isValid) continue;
    changes.push(async () => {
      if (await isEmpty(db, table)) await changeShortly(db, `CREATE INDEX ON "${table}" ("${field}")`);
      else await buildIndex(db, wanted);
    });
  }
  return changes;
}
