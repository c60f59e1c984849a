import { Problem, unavailable } from "../../problem.ts";

/** What is needed of a resource here. */
export interface WithUnique {
  name: string;
  unique?: string[] | undefined;
}

export const hasUnique = ({ unique = [] }: WithUnique) => unique.length > 0;

/** Why a field of a table cannot become unique. */
export const explainRepeated = (table: string, field: string) =>
  `"${field}" of "${table}" is to be unique, but several rows have the same value; change those, or do not make it unique`;

type Query = (text: string, value: unknown) => unknown[] | Promise<unknown[]>;

/** Refuses an item that violates uniqueness, and names the fields whose values are taken. */
export async function refuseTaken({ name, unique = [] }: WithUnique, item: object, query: Query): Promise<never> {
  const taken: string[] = [];
  for (const field of unique) {
    const value = (item as Record<string, unknown>)[field];
    const found = value === undefined ? [] : await query(`SELECT 1 FROM "${name}" WHERE "${field}" = $1`, value);
    if (found.length > 0) taken.push(field);
  }
  // The conflicting item may be deleted by now.
  throw taken.length > 0 ? conflict(taken) : unavailable();
}

export function conflict(fields: string[]): Problem {
  const errors = fields.map((field) => ({ pointer: `#/${field}`, detail: "is already taken" }));
  return new Problem(["conflict", 409], `${fields[0]} is already taken`, { errors });
}
