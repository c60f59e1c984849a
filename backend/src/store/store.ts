import { type Creation, type Page, unknownCursor } from "../input.ts";
import { columns } from "../item.ts";
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

/** What a table that was made for other fields lacks. A change that it takes a person to decide on is refused. */
export function newColumns(table: [name: string, type: string][], hasItems: unknown) {
  const [found, wanted] = [new Map(table), new Map<string, string>(Object.entries(columns))];
  const lacking = [...wanted].filter(([name]) => !found.has(name));
  for (const [name] of hasItems ? [...found, ...lacking] : found) {
    const [is, must] = [found.get(name), wanted.get(name)];
    if (is && must ? is !== must : (is ?? must)?.endsWith("NOT NULL"))
      throw new Error(`column "${name}" is ${is ?? "missing"}, item.ts says ${must ?? "none"}; change either`);
  }
  return lacking;
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
