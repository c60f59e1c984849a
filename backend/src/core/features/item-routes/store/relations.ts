import { Problem, unavailable } from "../../../problem.ts";
import { listReferences, missingReferences, type WithReferences } from "../../../store/relations/relations.ts";
import { type Query, type Rows, Violation } from "./rows.ts";

/** Explains a change that a foreign key refuses: which references do not exist, or that others refer to the item. */
export function explainReferences<T extends object>(rows: Rows<T>, resource: WithReferences, query: Query): void {
  const { swap, remove } = rows;
  rows.swap = (id, stored, item) =>
    swap(id, stored, item).catch(async (error) => {
      if (!isReference(error)) throw error;
      const references = listReferences(resource, item);
      const found = await Promise.all(references.map((reference) => query(reference.find, [reference.id])));
      const lost = references.filter((_, index) => found[index]?.length === 0);
      throw lost.length > 0 ? missingReferences(lost) : unavailable();
    });
  rows.remove = (id, stored) =>
    remove(id, stored).catch((error) => {
      throw isReference(error) ? stillNeeded() : error;
    });
}

const isReference = (error: unknown) => error instanceof Violation && error.rule === "reference";

export const stillNeeded = () =>
  new Problem(["conflict", 409], "Others refer to this item: delete them first, or change their references.");

/** Without these indexes, each deletion would scan the tables that may refer to the item. */
export function printReferenceIndexes({ name, references = {} }: WithReferences): string {
  const indexes = Object.keys(references).map(
    (field) => `CREATE INDEX IF NOT EXISTS "${name}_${field}_reference" ON "${name}" ("${field}");`,
  );
  return indexes.join("\n");
}
