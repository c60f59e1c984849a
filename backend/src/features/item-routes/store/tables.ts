import type { Resource } from "../../../resource.ts";
import { referenceIndexes } from "./relations.ts";

/**
 * The additional tables of a table: the first answer to each idempotency key whose item was changed or deleted since,
 * and the positions of deleted items in the list.
 */
export function additionalTables<T extends object>(resource: Resource<T>, idType: string): string {
  const tables = [
    `CREATE TABLE IF NOT EXISTS "${resource.name}_keys" (key text PRIMARY KEY, item text);`,
    `CREATE TABLE IF NOT EXISTS "${resource.name}_deleted" (id ${idType} PRIMARY KEY, insert_order bigint NOT NULL);`,
  ];
  tables.push(referenceIndexes(resource));
  return tables.join("\n");
}
