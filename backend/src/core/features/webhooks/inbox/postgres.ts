import { changeShortly } from "../../../store/migrations.ts";
import type { PostgresAccess, PostgresHooks } from "../../../store/postgres.ts";
import { Inbox } from "./inbox.ts";

export const postgres: PostgresHooks = {
  extendStore: (access) => ({ inbox: createPostgresInbox(access) }),
};

export function createPostgresInbox({ onOpen, query, locate }: PostgresAccess): Inbox {
  const table = `"${locate("webhook_events")}"`;
  // A sequence counts without waiting for others, and without a flush to disk each time.
  const looks = `"${locate("webhook_looks")}"`;
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
      countLook: `nextval('${looks}')`,
    },
    make: (script) =>
      onOpen(async (db) => {
        const found = await db.query(
          `SELECT to_regclass('${table}') IS NULL OR to_regclass('${looks}') IS NULL AS lacks`,
        );
        // Owned by a column, it is dropped with the table.
        const count = `CREATE SEQUENCE IF NOT EXISTS ${looks} OWNED BY ${table}.received_at`;
        return found.rows[0].lacks ? [() => changeShortly(db, `${script} ${count}`)] : [];
      }),
    read: send,
    write: send,
  });
}
