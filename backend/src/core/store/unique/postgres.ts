import type { Client } from "pg";
import { StartError } from "../../problem.ts";
import { findConstraints } from "../constraints.ts";
import { buildIndex } from "../indexes.ts";
import { type Change, changeShortly, isEmpty } from "../migrations.ts";
import { explainRepeated, type WithUnique } from "./unique.ts";

/** A constraint for each unique field that has none yet. */
export async function planUnique(db: Client, { name, unique = [] }: WithUnique): Promise<Change[]> {
  const found = await findConstraints(db, name, "unique");
  return unique.filter((field) => !found.has(field)).map((field) => () => addUnique(db, name, field));
}

async function addUnique(db: Client, table: string, field: string): Promise<void> {
  if (await isEmpty(db, table)) return changeShortly(db, `ALTER TABLE "${table}" ADD UNIQUE ("${field}")`);
  const index = await buildIndex(db, { table, field, isUnique: true }).catch((error) => {
    throw error.code === uniqueViolation ? new StartError(explainRepeated(table, field)) : error;
  });
  await changeShortly(db, `ALTER TABLE "${table}" ADD UNIQUE USING INDEX "${index}"`);
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const uniqueViolation = "23505";
