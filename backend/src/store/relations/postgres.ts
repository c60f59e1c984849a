import { unavailable } from "../../problem.ts";
import { addConstraint } from "../constraint.ts";
import type { Table } from "../store.ts";
import { missing, referencesOf, type WithReferences } from "./relations.ts";

/** Adds a foreign key to each reference field that has none yet. */
export function foreignKeys({ name, references = {} }: WithReferences): string {
  const keys = Object.entries(references).map(([field, to]) =>
    addConstraint(name, field, "f", `FOREIGN KEY ("${field}") REFERENCES "${to}" (id)`),
  );
  return keys.join("\n");
}

type Query = (text: string, values: unknown[]) => Promise<unknown[]>;

/** Explains a creation that a foreign key refuses: which of its references do not exist. */
export function explainMissing<T extends object>(table: Table<T>, resource: WithReferences, query: Query): void {
  const { create } = table;
  table.create = (item, creation) =>
    create(item, creation).catch(async (error) => {
      if (error.code !== foreignKeyViolation) throw error;
      const references = referencesOf(resource, item);
      const found = await Promise.all(references.map(({ find, id }) => query(find, [id])));
      const lost = references.filter((_, index) => found[index]?.length === 0);
      // What was missing may exist by now.
      throw lost.length > 0 ? missing(lost) : unavailable();
    });
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const foreignKeyViolation = "23503";
