import { Problem } from "../../../problem.ts";
import type { List, Query } from "../../../store/store.ts";

declare module "../../../store/store.ts" {
  interface Table<T> {
    /** Its single items. */
    rows: Rows<T>;
  }
}

/** Single items of a table, as JSON text. Only an item that is unchanged since it was read is changed. */
export interface Rows<T> {
  find(id: string): Promise<string | undefined>;
  /** Replaces a stored item; false if it was changed or deleted since it was read. */
  swap(id: string, stored: string, item: T): Promise<boolean>;
  remove(id: string, stored: string): Promise<boolean>;
}

/** Continues a list from a cursor, even if its item and all items after it were deleted. */
export function continueLists(list: List, name: string, query: Query): List {
  // The page after the next newer item that still exists is the same.
  const lookUp = `
    SELECT (SELECT count(*) FROM "${name}" WHERE id = $1), (SELECT count(*) FROM "${name}_deleted" WHERE id = $1), (
      SELECT CAST(id AS text) FROM "${name}"
      WHERE insert_order > (SELECT insert_order FROM "${name}_deleted" WHERE id = $1) ORDER BY insert_order LIMIT 1)`;
  const continueList: List = (page) => {
    const { cursor } = page;
    if (!cursor) return list(page);
    return list(page).catch(async (problem) => {
      if (!(problem instanceof Problem) || problem.code !== "invalid_query") throw problem;
      const [[isThere, isDeleted, newer] = []] = await query<string | number>(lookUp, [cursor]);
      if (Number(isThere) > 0) return '{"items":[],"nextCursor":null}';
      if (Number(isDeleted) === 0) throw problem;
      return continueList({ ...page, cursor: newer?.toString() });
    });
  };
  return continueList;
}
