/** The example of plain SQL in Nest, for each database: a provider. */
export const providers = {
  sqlite: `import { Inject, Injectable } from "@nestjs/common";
import type { Parts } from "../config.ts";
import { PARTS } from "../core/nest/connect.ts";
import type { SqliteStore } from "../core/store/sqlite.ts";

@Injectable()
export class VisitsService {
  private readonly store: SqliteStore;

  constructor(@Inject(PARTS) { store }: Parts) {
    this.store = store;
    store.onOpen((db) => db.exec("CREATE TABLE IF NOT EXISTS visits (page text PRIMARY KEY, count integer NOT NULL)"));
  }

  list() {
    return this.store.database.prepare("SELECT page, count FROM visits ORDER BY page").all();
  }

  add(page: string) {
    return this.store.transaction((db) => {
      db.prepare("INSERT INTO visits VALUES (?, 0) ON CONFLICT DO NOTHING").run(page);
      db.prepare("UPDATE visits SET count = count + 1 WHERE page = ?").run(page);
    });
  }
}
`,
  postgres: `import { Inject, Injectable } from "@nestjs/common";
import type { Parts } from "../config.ts";
import { PARTS } from "../core/nest/connect.ts";

@Injectable()
export class VisitsService {
  constructor(@Inject(PARTS) private readonly parts: Parts) {
    parts.store.onOpen((client) =>
      client.query("CREATE TABLE IF NOT EXISTS visits (page text PRIMARY KEY, count integer NOT NULL)"),
    );
  }

  async list() {
    const { rows } = await this.parts.store.database.query("SELECT page, count FROM visits ORDER BY page");
    return rows;
  }

  add(page: string) {
    return this.parts.store.transaction(async (client) => {
      await client.query("INSERT INTO visits VALUES ($1, 0) ON CONFLICT DO NOTHING", [page]);
      await client.query("UPDATE visits SET count = count + 1 WHERE page = $1", [page]);
    });
  }
}
`,
};
