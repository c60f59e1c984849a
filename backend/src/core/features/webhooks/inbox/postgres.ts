import { changeShortly } from "../../../store/changes.ts";
import type { PostgresAccess, PostgresHooks } from "../../../store/postgres.ts";
import { Inbox } from "./inbox.ts";

export const postgres: PostgresHooks = {
  extendStore: (access) => ({ inbox: createPostgresInbox(access) }),
};

export function createPostgresInbox({ onOpen, query, locate }: PostgresAccess): Inbox {
  const table = `"${locate({ name: "webhook_events" }).name}"`;
  const send = (sql: string, values: unknown[] = []) => {
    let count = 0;
    return query(
      sql.replaceAll("?", () => `$${++count}`),
      values,
    );
  };
  return new Inbox({
    dialect: {
      table,
      number: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
      bytes: "bytea",
      now: "(extract(epoch FROM now()) * 1000)::bigint",
      skipLocked: "FOR UPDATE SKIP LOCKED",
    },
    make: (script) =>
      onOpen(async (db) => {
        const found = await db.query(`SELECT WHERE to_regclass('${table}') IS NOT NULL`);
        return found.rowCount === 1 ? [] : [() => changeShortly(db, script)];
      }),
    read: send,
    write: send,
  });
}
