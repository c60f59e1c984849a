import { toPlainName } from "../../../store/store.ts";

/** The types of a database. `now` is its expression for the time in ms. */
interface Dialect {
  id: string;
  now: string;
}

/**
 * The additional tables of a table: the first answer to each idempotency key whose item was changed or deleted since,
 * and the positions of deleted items in the list. `kept_at` tells since when.
 */
export function printAdditionalTables(name: string, { id, now }: Dialect): string {
  const plain = toPlainName(name);
  return `
    CREATE TABLE "${name}_keys" (key text PRIMARY KEY, item text, kept_at bigint NOT NULL DEFAULT ${now});
    CREATE INDEX "${plain}_keys_kept" ON "${name}_keys" (kept_at);
    CREATE TABLE "${name}_deleted" (
      id ${id} PRIMARY KEY, insert_order bigint NOT NULL, kept_at bigint NOT NULL DEFAULT ${now});
    CREATE INDEX "${plain}_deleted_kept" ON "${name}_deleted" (kept_at)`;
}
