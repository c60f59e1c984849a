import { Problem, unavailable } from "../../problem.ts";
import type { Query, TableExtension } from "../../store/store.ts";

/** What is needed of a resource here. */
export interface WithUnique {
  name: string;
  unique?: string[] | undefined;
}

/** What a table with unique fields has in every database; undefined for one without. */
export function extendUnique(resource: WithUnique, query: Query): TableExtension | undefined {
  if (!resource.unique?.length) return undefined;
  return {
    explain: async ({ constraint, id, item }) =>
      constraint === "unique" && item ? explainTaken(resource, { id, item }, query) : undefined,
  };
}

/** Why a field of a table cannot become unique. */
export const explainRepeated = (table: string, field: string) =>
  `"${field}" of "${table}" is to be unique, but several rows have the same value; change those, or do not make it unique`;

/** Names the fields whose values are taken. An item may keep its own value. */
async function explainTaken(
  { name, unique = [] }: WithUnique,
  { id, item }: { id: string | undefined; item: object },
  query: Query,
): Promise<Problem> {
  const taken: string[] = [];
  for (const field of unique) {
    const value = (item as Record<string, unknown>)[field];
    if (value === undefined) continue;
    const text = `SELECT 1 FROM "${name}" WHERE "${field}" = $1`;
    const found = await (id === undefined ? query(text, [value]) : query(`${text} AND id <> $2`, [value, id]));
    if (found.length > 0) taken.push(field);
  }
  // The conflicting item may be deleted by now.
  return taken.length > 0 ? conflict(taken) : unavailable();
}

export function conflict(fields: string[]): Problem {
  const errors = fields.map((field) => ({ pointer: `#/${field}`, detail: "is already taken" }));
  return new Problem(["conflict", 409], `${fields[0]} is already taken`, { errors });
}
