import type { Client } from "pg";
import { buildIndex, findIndex } from "../../../store/indexes.ts";
import { type Change, changeShortly, isEmpty } from "../../../store/migrations.ts";
import type { WithReferences } from "../../../store/relations/relations.ts";

/** Without these indexes, each deletion would scan the tables that may refer to the item. */
export async function planReferenceIndexes(
  db: Client,
  { name: table, references = {} }: WithReferences,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const field of Object.keys(references)) {
    const wanted = { table, field, isUnique: false };
    if ((await findIndex(db, wanted))?.isValid) continue;
    changes.push(async () => {
      if (await isEmpty(db, table)) await changeShortly(db, `CREATE INDEX ON "${table}" ("${field}")`);
      else await buildIndex(db, wanted);
    });
  }
  return changes;
}
