import { type Creation, type Page, unknownCursor } from "../input.ts";
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

/** The answer to a page, from one item more than it has if another page follows. */
export function pageOf(items: string[], { limit, cursor }: Page): string {
  if (cursor && items.length === 0) throw unknownCursor();
  const shown = items.slice(0, limit);
  const nextCursor = items.length > limit ? JSON.parse(shown.at(-1) ?? "").id : null;
  return `{"items":[${shown}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

/** The answer to a creation whose idempotency key is taken: the stored item, if it was made from the same fields. */
export function replayOf(stored: string, item: Creation["item"]): string {
  const { id, createdAt, ...fields } = JSON.parse(stored);
  if (JSON.stringify(fields) === JSON.stringify(item)) return stored;
  throw new Problem("idempotency_key_reused", "This Idempotency-Key was used for another item; use a new one.");
}
