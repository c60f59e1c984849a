import type { Request } from "../../request.ts";
import { providers } from "./sql-nest.ts";

type Kind = "sqlite" | "postgres";

/** Examples of SQL in a project: a file with plain SQL, and one with a query builder. */
export const examples: Record<Kind, { sql: string; kysely: string }> = {
  sqlite: {
    sql: `import type { Parts } from "../config.ts";

export function createVisits({ store }: Parts) {
  store.onOpen((db) => db.exec("CREATE TABLE IF NOT EXISTS visits (page text PRIMARY KEY, count integer NOT NULL)"));
  return {
    list: () => store.database.prepare("SELECT page, count FROM visits ORDER BY page").all(),
    add: (page: string) =>
      store.transaction((db) => {
        db.prepare("INSERT INTO visits VALUES (?, 0) ON CONFLICT DO NOTHING").run(page);
        db.prepare("UPDATE visits SET count = count + 1 WHERE page = ?").run(page);
      }),
  };
}
`,
    kysely: `import type { SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import type { Parts } from "../config.ts";

interface Tables {
  visits: { page: string; count: number };
}

export function createQueries({ store }: Parts) {
  const prepare = (sql: string) => {
    const statement = store.database.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
      run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
      iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
    };
  };
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: { prepare, close: () => {} } }) });
}
`,
  },
  postgres: {
    sql: `import type { Parts } from "../config.ts";

export function createVisits({ store }: Parts) {
  store.onOpen((client) =>
    client.query("CREATE TABLE IF NOT EXISTS visits (page text PRIMARY KEY, count integer NOT NULL)"),
  );
  return {
    list: async () => (await store.database.query("SELECT page, count FROM visits ORDER BY page")).rows,
    add: (page: string) =>
      store.transaction(async (client) => {
        await client.query("INSERT INTO visits VALUES ($1, 0) ON CONFLICT DO NOTHING", [page]);
        await client.query("UPDATE visits SET count = count + 1 WHERE page = $1", [page]);
      }),
  };
}
`,
    kysely: `import { Kysely, PostgresDialect } from "kysely";
import type { Parts } from "../config.ts";

interface Tables {
  visits: { page: string; count: number };
}

export function createQueries({ store }: Parts) {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: async () => store.database }) });
}
`,
  },
};

/** The part of the README about tables and queries of one's own. */
export function printSql({ database, framework }: Request): string {
  const kind = database === "postgres" ? "postgres" : "sqlite";
  const guard = database === "both" ? expectSqlite : (code: string) => code;
  const { file, sql, use } = framework === "nest" ? provider(kind) : plain(kind);
  return `## Your own SQL

A table of the store has \`list\`, \`create\`, \`get(id)\` and \`count()\`. Everything else is SQL: \`store.database\` is ${whatItIs[database]},
\`store.transaction\` commits unless it throws, and \`store.onOpen\` creates tables of your own at startup. For example in \`${file}\`:

\`\`\`ts
${guard(sql).trimEnd()}
\`\`\`

${use}; \`store.database\` is open from the first request on. ${rules[kind]}

A query builder like [Kysely](https://kysely.dev) (\`npm install kysely\`) uses the same ${kind === "sqlite" ? "connection" : "connections"}:

\`\`\`ts
${guard(examples[kind].kysely).trimEnd()}
\`\`\`

${database === "both" ? both : ""}`;
}

const plain = (kind: Kind) => ({
  file: "src/visits/visits.ts",
  sql: examples[kind].sql,
  use: "Call `createVisits(parts)` where routes are mounted",
});

const provider = (kind: Kind) => ({
  file: "src/visits/visits.service.ts",
  sql: providers[kind],
  use: "Add it to the `providers` of a module",
});

const whatItIs: Record<Request["database"], string> = {
  sqlite: "a connection of `node:sqlite` (`DatabaseSync`)",
  postgres: "the pool of `pg`",
  both: "a connection of `node:sqlite` (`DatabaseSync`) or the pool of `pg`, as `store.kind` tells",
};

const rules: Record<Kind, string> = {
  sqlite: `A transaction on SQLite must not wait for
anything (\`await\`), because all writes wait for it. The store writes on another connection, so that its transactions and yours never mix.`,
  postgres: `Replicas that start at the
same time run \`onOpen\` in turn. Use the client in a transaction, not the pool, which takes another connection.`,
};

/** The types of both databases allow only what both have. */
export function expectSqlite(code: string): string {
  return code.replace(
    /( *)(export function|constructor\().*\{\n/,
    (start, indent) => `${start}${indent}  if (store.kind !== "sqlite") throw new Error("not for PostgreSQL");\n`,
  );
}

const both = `These examples are for SQLite. On PostgreSQL, \`store.database.query\` and
\`client.query\` are asynchronous, and \`new PostgresDialect({ pool: async () => store.database })\` is all that Kysely needs.

`;
