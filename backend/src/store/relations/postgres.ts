import { unavailable } from "../../problem.ts";
import { addConstraint } from "../constraint.ts";
import type { Table } from "../store.ts";
import { missing, referencesOf, type WithReferences } from "./relations.ts";

/** A foreign key for each field that refers to something and has none yet. */
export function foreignKeys({ name, references = {} }: WithReferences): string {
  const keys = Object.entries(references).map(([field, to]) =>
    addConstraint(name, field, "f", `FOREIGN KEY ("${field}") REFERENCES "${to}" (id)`),
  );
  return keys.join("\n");
}

type Query = (text: string, values: unknown[]) => Promise<unknown[]>;

/** Lets a creation that a foreign key refuses say which of its references lead nowhere. */
export function explainMissing<T extends object>(table: Table<T>, resource: WithReferences, query: Query): void {
  const { create } = table;
  table.create = (item, creation) =>
    create(item, creation).catch(async (error) => {
      if (error.code !== foreignKeyViolation) throw error;
      const references = referencesOf(resource, item);
      const found = await Promise.all(references.map(({ find, id }) => query(find, [id])));
      const lost = references.filter((_, index) => found[index]?.length === 0);
      // What was missing may have come by now.
      throw lost.length > 0 ? missing(lost) : unavailable();
    });
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const foreignKeyViolation = "23503";
