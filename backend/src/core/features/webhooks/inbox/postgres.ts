import { changeShortly, type Plan } from "../../../store/changes.ts";
import { Inbox } from "./inbox.ts";

/** What the store shares with the inbox. */
interface Shared {
  onOpen(plan: Plan): void;
  query(text: string, values: unknown[]): Promise<unknown[][]>;
}

export function postgresInbox({ onOpen, query }: Shared): Inbox {
  const send = (sql: string, values: unknown[] = []) => {
    let count = 0;
    return query(
      sql.replaceAll("?", () => `$${++count}`),
      values,
    );
  };
  return new Inbox({
    dialect: {
      number: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
      bytes: "bytea",
      now: "(extract(epoch FROM now()) * 1000)::bigint",
      skipLocked: "FOR UPDATE SKIP LOCKED",
    },
    make: (script) =>
      onOpen(async (db) => {
        const found = await db.query("SELECT WHERE to_regclass('webhook_events') IS NOT NULL");
        return found.rowCount === 1 ? [] : [() => changeShortly(db, script)];
      }),
    read: send,
    write: send,
  });
}
