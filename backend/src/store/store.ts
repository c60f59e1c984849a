import type { Creation, Page } from "../input.ts";
import type { NewItem } from "../item.ts";
import { Problem } from "../problem.ts";

/** Where items are kept. It answers JSON text, to a write only once it is durable; what it cannot do now is `unavailable`. */
export interface Store {
  /** One page, newest first: `{ items, nextCursor }`. */
  list(page: Page): Promise<string>;
  /** The new item, or the one that an earlier creation with the same idempotency key made. */
  create(creation: Creation): Promise<string>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type Row = [id: string, item: string];

/** The answer to a page, from one row more than it has items if another page follows. */
export function pageOf(rows: Row[], limit: number): string {
  const shown = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? `"${shown.at(-1)?.[0]}"` : "null";
  return `{"items":[${shown.map(([, item]) => item).join()}],"nextCursor":${nextCursor}}`;
}

/** The answer to a creation whose idempotency key is taken: the stored item, if it was made from the same fields. */
export function replayOf(stored: string, item: NewItem): string {
  const { id, createdAt, ...fields } = JSON.parse(stored);
  if (JSON.stringify(fields) === JSON.stringify(item)) return stored;
  throw new Problem("idempotency_key_reused", "This Idempotency-Key was used for another item; use a new one.");
}
