import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { Inbox } from "./inbox.ts";

/** What the store shares with the inbox: its open database, waiting for locks, and transactions. */
interface Shared {
  onOpen(use: (db: DatabaseSync) => void): void;
  run<T>(work: () => T): Promise<T>;
  write<T>(work: () => () => T): Promise<T>;
}

export function sqliteInbox({ onOpen, run, write }: Shared): Inbox {
  const statements = new Map<string, StatementSync>();
  let db: DatabaseSync;

  const all = (sql: string, values: unknown[]) => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...(values as SQLInputValue[])) as unknown as unknown[][];
  };

  return new Inbox({
    dialect: {
      number: "INTEGER PRIMARY KEY AUTOINCREMENT",
      bytes: "blob",
      now: "CAST(unixepoch('subsec') * 1000 AS integer)",
      skipLocked: "",
    },
    make: (script) =>
      onOpen((opened) => {
        db = opened;
        db.exec(script);
      }),
    read: (sql, values = []) => run(() => all(sql, values)),
    write: (sql, values) =>
      write(() => {
        const rows = all(sql, values);
        return () => rows;
      }),
  });
}
