import type { Page } from "../../../input.ts";
import { Problem } from "../../../problem.ts";

/** The items of a table, one at a time, as JSON text. A change is made only to an item that is still as it was read. */
export interface Rows<T> {
  find(id: string): Promise<string | undefined>;
  /** Puts an item in the place of a stored one; false if that is not there any more as it was. */
  swap(id: string, stored: string, item: T): Promise<boolean>;
  remove(id: string, stored: string): Promise<boolean>;
}

/** What a rule of the database refused. */
export class Violation extends Error {
  readonly rule: "unique" | "reference";

  constructor(rule: "unique" | "reference") {
    super(`The database refused a change: ${rule}`);
    this.rule = rule;
  }
}

export type Query = (text: string, values: string[]) => Promise<unknown[][]>;

type List = (page: Page) => Promise<string>;

/** Lists on from a cursor, also if its item, or all that followed it, was deleted. */
export function listingOn(list: List, name: string, query: Query): List {
  // From the next newer item that is left, the same ones follow.
  const lookUp = `
    SELECT (SELECT count(*) FROM "${name}" WHERE id = $1), (SELECT count(*) FROM "${name}_deleted" WHERE id = $1), (
      SELECT CAST(id AS text) FROM "${name}"
      WHERE insert_order > (SELECT insert_order FROM "${name}_deleted" WHERE id = $1) ORDER BY insert_order LIMIT 1)`;
  const listOn: List = (page) =>
    list(page).catch(async (problem) => {
      const { cursor } = page;
      if (!cursor || !(problem instanceof Problem) || problem.code !== "invalid_query") throw problem;
      const [[isThere, isDeleted, newer] = []] = await query(lookUp, [cursor]);
      if (Number(isThere) > 0) return '{"items":[],"nextCursor":null}';
      if (Number(isDeleted) === 0) throw problem;
      return listOn({ ...page, cursor: newer?.toString() });
    });
  return listOn;
}
