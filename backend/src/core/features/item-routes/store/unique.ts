import { refuseTaken, type WithUnique } from "../../../store/unique/unique.ts";
import { type Query, type Rows, Violation } from "./rows.ts";

/** Explains a change that a unique field refuses by naming the field. An item may keep its own value. */
export function explainTaken<T extends object>(rows: Rows<T>, resource: WithUnique, query: Query): void {
  const { swap } = rows;
  rows.swap = (id, stored, item) =>
    swap(id, stored, item).catch((error) => {
      if (!(error instanceof Violation) || error.rule !== "unique") throw error;
      return refuseTaken(resource, item, (text, value) => query(`${text} AND id <> $2`, [value as string, id]));
    });
}
