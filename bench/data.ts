import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { credentials } from "../backend/kit/suite/auth/tokens.ts";
import type { Bundles } from "./bundle.ts";
import { seeded } from "./load.ts";
import { Server } from "./server.ts";

/** The environment that names a backend's database. */
type Database = { DATABASE_URL: string };

export type Prepared = Awaited<ReturnType<Data["prepare"]>>;

/** A folder for databases, next to this file: a temporary folder may be in memory, where durability costs nothing. */
export class Data {
  readonly #folder: string;

  constructor() {
    const parent = join(import.meta.dirname, "data");
    mkdirSync(parent, { recursive: true });
    this.#folder = mkdtempSync(join(parent, "bench-"));
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** What all frameworks share: our databases in three sizes, one of a hand-written backend, and our pages. */
  async prepare({ backend, handWritten }: Bundles) {
    const small = await this.#seed(backend, 1_000);
    const full = await this.#seed(backend, seeded);
    const large = await this.#seed(backend, 1_000_000);
    const fullByHand = await this.#seed(handWritten, seeded, "by-hand");
    const pageFile = join(this.#folder, "page.json");
    writeFileSync(pageFile, await fetchFirstPage(backend, full));
    return { small, full, large, fullByHand, pageFile, lastCursor: findLastCursor(large) };
  }

  /** A database that does not exist yet. */
  createEmpty(name: string): Database {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(this.#folder, name + suffix), { force: true });
    return { DATABASE_URL: pathToFileURL(join(this.#folder, name)).href };
  }

  /** A database with items, whose table the server creates. */
  async #seed(bundle: string, items: number, name = "ours"): Promise<Database> {
    const database = this.createEmpty(`${name}-${items}.db`);
    const server = await Server.start(bundle, "/health", database);
    await server.stop();
    insert(database, items);
    return database;
  }
}

/** Items with the ids of `toId`; all have the same length. */
function insert({ DATABASE_URL }: Database, items: number): void {
  const db = new DatabaseSync(new URL(DATABASE_URL));
  db.exec(`
    PRAGMA synchronous = OFF;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${items})
    INSERT INTO items (id, name, created_at) SELECT
      printf('%08x-%04x-7000-8000-%012x', n / 65536, n % 65536, n),
      printf('Item number %08d', n),
      '2026-01-01T00:00:00.000Z'
    FROM numbers;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
}

async function fetchFirstPage(backend: string, database: Database): Promise<string> {
  const server = await Server.start(backend, "/health", database);
  const response = await fetch(`http://127.0.0.1:${server.port}/items`, { headers: credentials });
  const page = await response.text();
  await server.stop();
  return page;
}

/** The cursor after which 20 items are left. */
function findLastCursor({ DATABASE_URL }: Database): string {
  const db = new DatabaseSync(new URL(DATABASE_URL), { readOnly: true });
  const row = db.prepare("SELECT id FROM items ORDER BY insert_order LIMIT 1 OFFSET 20").get();
  db.close();
  return String(row?.["id"]);
}
