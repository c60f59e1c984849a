import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { everyDatabase } from "../../kit/test/databases.ts";
import { itemRoutes } from "../../src/core/features/item-routes/feature.ts";
import { logging } from "../../src/core/log.ts";
import type { Resource } from "../../src/core/resource.ts";
import { createStore } from "../../src/core/store/open.ts";
import { isWholeMatrix } from "../support/matrix.ts";

logging.level = "silent";
const folders: string[] = [];
after(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })));

type Kind = "sqlite" | "postgres";

interface Item {
  name: string;
  price?: number;
}

/** What a project's database went through. */
interface History {
  /** In their order. */
  files: string[];
  /** The only database that knows such SQL. */
  kind?: Kind;
  /** The table of the code in the release before the files, if it had another name or other columns than now. */
  before?: Resource<Item>;
  /** Whether the release before the files, and that of now, have tables of a feature. */
  features?: { before: boolean; now: boolean };
  /** Tables that the owner's code makes. */
  hook?: string;
  /** Whether `npm test` has it with faults that are corrected, too. */
  isResumed?: boolean;
  /** How many files change tables of the code: they are only recorded in a new database. */
  recorded?: number;
}

const items: Resource<Item> = {
  name: "items",
  title: "Item",
  schema: undefined as never,
  columns: { name: { type: "text", isRequired: true }, price: { type: "integer", isRequired: false } },
};
const unpriced = { ...items, columns: { name: items.columns.name } } as Resource<Item>;
const cheap = "ALTER TABLE items ADD CONSTRAINT cheap CHECK (price < 100)";
const dearer = "ALTER TABLE items ADD CONSTRAINT cheap CHECK (price < 1000)";
const notes = "CREATE TABLE notes (id integer, body text)";

const histories: Record<string, History> = {
  "a constraint that is dropped": { files: [cheap, "ALTER TABLE items DROP CONSTRAINT cheap"] },
  "a constraint that is made again": { files: [cheap, `ALTER TABLE items DROP CONSTRAINT cheap; ${dearer}`] },
  "a constraint that is made again in one statement": {
    kind: "postgres",
    files: [cheap, "ALTER TABLE items DROP CONSTRAINT cheap, ADD CONSTRAINT cheap CHECK (price IN (1, 500))"],
  },
  "constraints with PostgreSQL's names": {
    kind: "postgres",
    files: [
      "ALTER TABLE items ADD CHECK (price < 100), ADD UNIQUE (name, price)",
      "ALTER TABLE items DROP CONSTRAINT items_price_check; ALTER TABLE items DROP CONSTRAINT items_name_price_key",
    ],
  },
  "a constraint that is renamed": {
    kind: "postgres",
    files: [cheap, "ALTER TABLE items RENAME CONSTRAINT cheap TO low", "ALTER TABLE items DROP CONSTRAINT low"],
  },
  "a constraint of a column of the owner": {
    files: [
      "ALTER TABLE items ADD COLUMN own integer",
      "ALTER TABLE items ADD CONSTRAINT small CHECK (own < 100 OR own IS NULL)",
      "ALTER TABLE items DROP CONSTRAINT small; ALTER TABLE items ADD CONSTRAINT small CHECK (own < 1000 OR own IS NULL)",
    ],
  },
  "a table that is renamed, and then changed": {
    files: [
      notes,
      "ALTER TABLE notes RENAME TO memos",
      "ALTER TABLE memos RENAME COLUMN body TO text",
      "ALTER TABLE memos ADD COLUMN title text",
      "ALTER TABLE memos RENAME COLUMN title TO head; ALTER TABLE memos DROP COLUMN id",
    ],
  },
  "a table that is dropped": { files: [notes, "ALTER TABLE notes RENAME TO memos", "DROP TABLE memos"] },
  "a table and a column of the code's with the same name": {
    files: ["ALTER TABLE items ADD COLUMN body text", notes, "ALTER TABLE notes RENAME COLUMN body TO text"],
  },
  "a table in another case": {
    files: [notes, 'ALTER TABLE "notes" RENAME TO Memos', "ALTER TABLE MEMOS DROP COLUMN id"],
  },
  "a view": {
    kind: "postgres",
    files: [
      `${notes}; CREATE OR REPLACE VIEW seen AS SELECT body FROM notes`,
      "ALTER VIEW seen RENAME COLUMN body TO text",
      "ALTER TABLE seen RENAME TO known",
      "ALTER TABLE known RENAME COLUMN text TO words",
    ],
  },
  "a table that a block makes": {
    isResumed: true,
    kind: "postgres",
    files: [
      `DO $$ BEGIN ${notes}; END $$`,
      "ALTER TABLE notes ALTER COLUMN id TYPE bigint",
      "ALTER TABLE notes RENAME TO memos",
      "DO $$ BEGIN CREATE TABLE gone (a integer); END $$",
      "DROP TABLE gone",
    ],
  },
  "a table that a query makes": {
    kind: "postgres",
    files: ["SELECT 1 AS a INTO notes", "ALTER TABLE notes ALTER COLUMN a TYPE bigint"],
  },
  "a partition that is detached and renamed": {
    kind: "postgres",
    files: [
      `CREATE TABLE events (a integer, day date) PARTITION BY RANGE (day);
       CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`,
      `ALTER TABLE events DETACH PARTITION events_2026; ALTER TABLE events_2026 RENAME TO old_events;
       ALTER TABLE old_events DROP COLUMN a`,
    ],
  },
  "indexes and triggers of the code's table": {
    files: [
      "CREATE INDEX by_name ON items (name); CREATE INDEX by_price ON items (price)",
      "DROP INDEX by_name; DROP INDEX by_price; CREATE INDEX by_price ON items (price, name)",
    ],
  },
  "a table that is made again under a name that the code's had, too": {
    kind: "sqlite",
    before: unpriced,
    recorded: 1,
    files: [
      notes,
      "CREATE TABLE n (id integer, text text); INSERT INTO n SELECT * FROM notes; DROP TABLE notes; ALTER TABLE n RENAME TO notes",
      `CREATE TABLE n (insert_order INTEGER PRIMARY KEY AUTOINCREMENT, id text NOT NULL UNIQUE, "name" text NOT NULL, "price" bigint,
         created_at text NOT NULL, idempotency_key text UNIQUE);
       INSERT INTO n SELECT insert_order, id, name, NULL, created_at, idempotency_key FROM items;
       DROP TABLE items; ALTER TABLE n RENAME TO items`,
      "CREATE TABLE n (text text); DROP TABLE notes; ALTER TABLE n RENAME TO notes",
    ],
  },
  "the code's table under other names": {
    before: { ...unpriced, name: "goods" },
    recorded: 3,
    files: [
      'ALTER TABLE goods ADD COLUMN "price" bigint',
      "ALTER TABLE goods RENAME TO things",
      notes,
      "ALTER TABLE things RENAME TO items",
      "ALTER TABLE notes ADD COLUMN price bigint",
    ],
  },
  "a table that the code had once": {
    before: { ...items, name: "goods" },
    recorded: 3,
    files: ["ALTER TABLE goods DROP COLUMN price", notes, "CREATE INDEX by_name ON goods (name)", "DROP TABLE goods"],
  },
  "tables of a feature that went": {
    features: { before: true, now: false },
    recorded: 1,
    files: ["DROP TABLE items_keys; DROP TABLE items_deleted", notes],
  },
  "tables of a feature that went and came": {
    isResumed: true,
    features: { before: true, now: true },
    recorded: 1,
    files: ["DROP TABLE items_keys; DROP TABLE items_deleted", notes],
  },
  "a table that the owner's code makes": {
    hook: notes,
    recorded: 0,
    files: ["CREATE INDEX by_body ON notes (body)", "ALTER TABLE notes ADD COLUMN title text"],
  },
};

for (const [title, newDatabase] of await everyDatabase())
  describe(`a new database on ${title} becomes like one that had`, { timeout: 240_000 }, () => {
    const kind = title === "SQLite" ? "sqlite" : "postgres";
    for (const [what, history] of Object.entries(histories)) {
      if (history.kind !== undefined && history.kind !== kind) continue;
      test(what, async () => {
        const [old, fresh] = [await newDatabase(), await newDatabase()];
        await open(
          kind,
          old,
          { ...history, files: [], features: { before: false, now: history.features?.before ?? false } },
          history.before ?? items,
        );
        for (const count of history.files.keys())
          await migrate(kind, old, { ...history, files: history.files.slice(0, count + 1) });
        await open(kind, old, history);
        const lines = await migrate(kind, fresh, history);
        const recorded = lines.filter((line) => line.endsWith("recorded: the database is new"));
        assert.equal(recorded.length, history.recorded ?? 0, lines.join("\n"));
        await open(kind, fresh, history);
        assert.deepEqual(await look(kind, fresh), await look(kind, old));
      });

      if (!isWholeMatrix && !history.isResumed) continue;
      test(`${what}, also if a fault of a file was corrected meanwhile`, async () => {
        const [whole, broken] = [await newDatabase(), await newDatabase()];
        await migrate(kind, whole, history);
        for (const count of history.files.keys()) {
          const files = [...history.files.slice(0, count + 1), "a fault"];
          await assert.rejects(migrate(kind, broken, { ...history, files }), /syntax error/);
        }
        await migrate(kind, broken, history);
        assert.deepEqual(await look(kind, broken), await look(kind, whole));
      });
    }
  });

function create(kind: Kind, databaseUrl: string, { files, hook, features }: History, resource: Resource<Item>) {
  const migrationsFolder = mkdtempSync(join(tmpdir(), "histories-"));
  folders.push(migrationsFolder);
  for (const [index, text] of files.entries())
    writeFileSync(join(migrationsFolder, `000${index + 1}-step.${kind}.sql`), text);
  const store = createStore(
    { databaseUrl, handlerTimeoutMs: 10_000, migrationsFolder },
    features?.now ? [itemRoutes] : [],
  );
  const table = store.table(resource);
  const run = (database: { query?(text: string): unknown; exec?(text: string): unknown }) =>
    (database.query ?? database.exec)?.call(database, hook?.replace("TABLE", "TABLE IF NOT EXISTS") ?? "SELECT 1");
  store.onOpen(run as never);
  return { store, table };
}

async function migrate(kind: Kind, url: string, history: History): Promise<string[]> {
  return create(kind, url, history, items).store.migrate(false);
}

async function open(kind: Kind, url: string, history: History, resource = items): Promise<void> {
  const { store, table } = create(kind, url, history, resource);
  await store.open();
  await table.create({ name: "first", ...(resource.columns.price && { price: 1 }) });
  await store.close();
}

/** The tables and what they accept. */
async function look(kind: Kind, url: string): Promise<object> {
  const prices = [50, 500, 5000].map(
    (price) =>
      `INSERT INTO items (id, name, price, created_at) VALUES (${newId[kind]}, '${price}', ${price}, '2026-01-01')`,
  );
  const accepted = await Promise.all(prices.map((text) => query(kind, url, text).then(() => "accepted", String)));
  return { accepted, schema: await query(kind, url, schemas[kind]) };
}

const newId = { sqlite: "random()", postgres: "gen_random_uuid()" };

const schemas = {
  sqlite: `
    SELECT concat_ws(' ', tables.name, columns.name, columns.type, columns."notnull") AS what
    FROM sqlite_schema tables, pragma_table_info(tables.name) columns WHERE tables.type = 'table'
    UNION ALL SELECT concat_ws(' ', type, name, sql) FROM sqlite_schema WHERE type <> 'table'
    ORDER BY what`,
  postgres: `
    SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable) AS what
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT regexp_replace(indexdef, 'INDEX \\S+_(key|pkey) ', 'INDEX ') FROM pg_indexes WHERE schemaname = 'public'
    ORDER BY what`,
};

async function query(kind: Kind, url: string, text: string): Promise<unknown[]> {
  if (kind === "sqlite") {
    using db = new DatabaseSync(fileURLToPath(url));
    return db
      .prepare(text)
      .all()
      .map(({ what }) => what);
  }
  const client = new Client(url);
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows.map(({ what }) => what);
}
