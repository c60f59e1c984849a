import { invalidItem, Problem, unavailable } from "../../problem.ts";
import type { Query, RefusedWrite, TableExtension } from "../../store/store.ts";

/** A reference field, and the table that it refers to: its name in SQL, and the one that clients know. */
export interface Reference {
  field: string;
  table: string;
  resource: string;
}

/** The references of a resource. */
export function listReferences(
  { references = {} }: { references?: Record<string, string | undefined> | undefined },
  locate = (name: string) => name,
): Reference[] {
  return Object.entries(references).map(([field, to = ""]) => ({ field, table: locate(to), resource: to }));
}

/** What a table has in every database, also one without references: others may refer to it. */
export const extendReferences = (references: Reference[], query: Query) =>
  ({ explain: (write) => explainLost(references, write, query) }) satisfies TableExtension;

/** Names the references that do not exist, also if another constraint refused the item before these were checked. */
async function explainLost(references: Reference[], { constraint, item }: RefusedWrite, query: Query) {
  const isReason = constraint === "foreign key";
  if (!item) return isReason ? stillNeeded() : undefined;
  const given = references.flatMap((reference) => {
    const id = (item as Record<string, string>)[reference.field];
    return id === undefined ? [] : [{ ...reference, id }];
  });
  const found = await Promise.all(given.map(({ table, id }) => query(`SELECT 1 FROM "${table}" WHERE id = $1`, [id])));
  const lost = given.filter((_, index) => found[index]?.length === 0);
  if (lost.length > 0) return missingReferences(lost);
  // What was missing may exist by now.
  return isReason ? unavailable() : undefined;
}

function missingReferences(references: Reference[]): Problem {
  return invalidItem(
    references.map(({ field, resource }) => ({ path: [field], message: `is not an id of the ${resource}` })),
  );
}

export const stillNeeded = () =>
  new Problem(["conflict", 409], "Others refer to this item: delete them first, or change their references.");
