import type { Client } from "pg";
import { StartError } from "../../problem.ts";
import { findConstraints } from "../../store/constraints.ts";
import { buildIndex } from "../../store/indexes.ts";
import { type Change, changeShortly, isEmpty } from "../../store/migrations.ts";
import { type PostgresHooks, readConstraint } from "../../store/postgres.ts";
import { explainRepeated, extendUnique, type WithUnique } from "./unique.ts";

export const postgres: PostgresHooks = {
  extendTable({ resource }, { onOpen, query }) {
    const extension = extendUnique(resource, query);
    if (!extension) return undefined;
    onOpen((db) => planUnique(db, resource));
    return { ...extension, mayWait: true };
  },
};

/** A constraint for each unique field that has none yet. */
async function planUnique(db: Client, { name, unique = [] }: WithUnique): Promise<Change[]> {
  const found = await findConstraints(db, name, "unique");
  return unique.filter((field) => !found.has(field)).map((field) => () => addUnique(db, name, field));
}

async function addUnique(db: Client, table: string, field: string): Promise<void> {
  if (await isEmpty(db, table)) return changeShortly(db, `ALTER TABLE "${table}" ADD UNIQUE ("${field}")`);
  const index = await buildIndex(db, { table, field, isUnique: true }).catch((error) => {
    throw readConstraint(error) === "unique" ? new StartError(explainRepeated(table, field)) : error;
  });
  await changeShortly(db, `ALTER TABLE "${table}" ADD UNIQUE USING INDEX "${index}"`);
}
