import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqliteAccess, SqliteHooks } from "../../../store/sqlite.ts";
import { Inbox } from "./inbox.ts";

export const sqlite: SqliteHooks = {
  extendStore: (access) => ({ inbox: createSqliteInbox(access) }),
};

export function createSqliteInbox({ onOpen, run, write }: SqliteAccess): Inbox {
  const statements = new Map<string, StatementSync>();
  let db: DatabaseSync;

  const all = (sql: string, values: unknown[]) => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...(values as SQLInputValue[])) as unknown as unknown[][];
  };

  return new Inbox({
    dialect: {
      table: "webhook_events",
      number: "INTEGER PRIMARY KEY AUTOINCREMENT",
      bytes: "blob",
      now: "CAST(unixepoch('subsec') * 1000 AS integer)",
      skipLocked: "",
      // On one machine, looking costs too little to be shared out.
      countLook: "0",
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
