import type { Pool } from "pg";
import { Inbox } from "./inbox.ts";

/** What the store shares with the inbox. */
interface Shared {
  onOpen(make: (pool: Pool) => Promise<void>): void;
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
    // Replicas that start at the same time take turns: `IF NOT EXISTS` alone does not prevent a collision.
    make: (script) =>
      onOpen(async (pool) => {
        await pool.query(`SELECT pg_advisory_xact_lock(hashtext('webhook_events')); ${script}`);
      }),
    read: send,
    write: send,
  });
}
