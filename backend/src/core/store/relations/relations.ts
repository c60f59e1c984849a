import { invalidItem, type Problem } from "../../problem.ts";
import { toPlainName } from "../store.ts";

/** What is needed of a resource here. */
export interface WithReferences {
  name: string;
  references?: Record<string, string | undefined> | undefined;
}

export interface Reference {
  field: string;
  to: string;
  id: string;
  /** The query that finds the referenced row. */
  find: string;
}

export const hasReferences = ({ references = {} }: WithReferences) => Object.keys(references).length > 0;

export function listReferences({ references = {} }: WithReferences, item: object): Reference[] {
  const all = Object.entries(references).map(([field, to = ""]) => {
    const id = (item as Record<string, string>)[field] ?? "";
    return { field, to, id, find: `SELECT 1 FROM "${to}" WHERE id = $1` };
  });
  return all.filter(({ id }) => id !== "");
}

/** The problem of an item with references that do not exist. */
export function missingReferences(references: Reference[]): Problem {
  return invalidItem(
    references.map(({ field, to }) => ({ path: [field], message: `is not an id of the ${toPlainName(to)}` })),
  );
}
