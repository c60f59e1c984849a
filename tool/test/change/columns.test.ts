import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { everyDatabase } from "../../../backend/kit/test/databases.ts";
import { itemRoutes } from "../../../backend/src/core/features/item-routes/feature.ts";
import { referenceFields } from "../../../backend/src/core/features/reference-fields/feature.ts";
import { uniqueFields } from "../../../backend/src/core/features/unique-fields/feature.ts";
import { logging } from "../../../backend/src/core/log.ts";
import { createStore } from "../../../backend/src/core/store/open.ts";
import { type FindLeft, groupMigrations, planMigrations, printMigrationFile } from "../../src/change/sql.ts";
import { buildResource } from "../../src/new/builders.ts";
import { type RequestInput, readRequest } from "../../src/new/request.ts";
import { temporaryFolder } from "../support.ts";

logging.level = "silent";

const orders = "orders: note:string?";
const name = "name:string?";
const refused = /migrations\/0001.*Nothing of this file is applied/;

for (const [title, newDatabase] of await everyDatabase())
  describe(`the migrations for rules of columns, on ${title}:`, () => {
    const database = title === "SQLite" ? "sqlite" : "postgres";
    const newProject = async () => new Project(database, await newDatabase());

    for (const mark of ["", "?"])
      test(`what a removed field referred to can be deleted (ref(orders)${mark})`, async () => {
        const project = await newProject();
        await project.use({ fields: [name, `orderId:ref(orders)${mark}`], resources: [orders] });
        const order = await project.create("orders", {});
        await project.create("items", { orderId: order });
        await project.change({ fields: [name], resources: [orders] });
        await project.remove("orders", order);
        await project.create("items", { name: "new" });
        assert.deepEqual(await project.list("orders"), []);
        assert.deepEqual(await project.list("items"), [{ name: "new" }, {}]);
      });

    test("what the rows of a removed resource referred to can be deleted", async () => {
      const project = await newProject();
      const lines = "very-long-named-order-lines: orderThatTheLineIsAPartOfAndWhoseNameIsLong:ref(orders)";
      await project.use({ fields: [name], resources: [orders, lines] });
      const order = await project.create("orders", {});
      await project.create("very-long-named-order-lines", { orderThatTheLineIsAPartOfAndWhoseNameIsLong: order });
      await project.change({ fields: [name], resources: [orders] });
      await project.remove("orders", order);
      assert.deepEqual(await project.list("orders"), []);
    });

    test("a new required reference is refused until each row has one", async () => {
      const project = await newProject();
      await project.use({ fields: [name], resources: [orders] });
      const order = await project.create("orders", {});
      await project.create("items", { name: "a" });
      const after = { fields: [name, "orderId:ref(orders)"], resources: [orders] };
      await assert.rejects(project.change(after), refused);
      const set = (id: string) => (file: string) => file.replace(/^-- (UPDATE .* = )…/m, `$1'${id}'`);
      await assert.rejects(project.change(after, set(crypto.randomUUID())), refused);
      await project.change(after, set(order));
      assert.deepEqual(await project.list("items"), [{ name: "a", orderId: order }]);
      await assert.rejects(project.create("items", { orderId: crypto.randomUUID() }), /is not an id of the orders/);
    });

    test("a new required reference to a new resource needs nothing without rows", async () => {
      const project = await newProject();
      await project.use({ fields: [name] });
      await project.change({ fields: [name, "orderId:ref(orders)"], resources: [orders] });
      const order = await project.create("orders", {});
      await project.create("items", { orderId: order });
      await assert.rejects(project.create("items", { orderId: crypto.randomUUID() }), /is not an id of the orders/);
    });

    for (const [type, value] of [
      ["string(..20)", "own"],
      ["ref(orders)", undefined],
    ] as const)
      test(`a field that becomes required is refused until rows have values of their own (${type})`, async () => {
        const project = await newProject();
        const unique = type.startsWith("string") ? " unique" : "";
        await project.use({ fields: [name, `own:${type}?${unique}`], resources: [orders] });
        const id = value ?? (await project.create("orders", {}));
        await project.create("items", { own: id });
        for (const name of ["a", "b"]) await project.create("items", { name });
        const after = { fields: [name, `own:${type}${unique}`], resources: [orders] };
        await assert.rejects(project.change(after), refused);
        const right = unique ? "name" : `(SELECT id FROM "orders")`;
        await project.change(after, (file) => file.replace(/^-- (UPDATE .* = )… WHERE …/m, `$1${right} WHERE "own"`));
        const own = unique ? ["b", "a", id] : [id, id, id];
        assert.deepEqual(
          (await project.list("items")).map((item) => (item as { own: string }).own),
          own,
        );
        if (unique) await assert.rejects(project.create("items", { own: "a" }), /already taken/);
      });

    test("many rows get the value of a field that becomes required", async () => {
      const project = await newProject();
      await project.use({ fields: [name, "count:integer?"] });
      await project.create("items", { count: 5 });
      await project.addRows(25_000);
      const after = { fields: [name, "count:integer", "live:boolean=true"] };
      await project.change(after);
      assert.equal(await project.count("items"), 25_001);
      const [newest] = await project.list("items");
      assert.deepEqual(newest, { name: "many", count: 1, live: true });
      await assert.rejects(project.create("items", { name: "x" }), /null value|NOT NULL/);
    });

    test("rows can be added after a required unique field was added and removed", async () => {
      const project = await newProject();
      await project.use({ fields: [name] });
      await project.create("items", { name: "a" });
      await project.change({ fields: [name, "sku:string(..20) unique"] });
      await project.change({ fields: [name] });
      for (const text of ["b", "c"]) await project.create("items", { name: text });
      assert.equal((await project.list("items")).length, 3);
    });

    test("a new required unique field is refused until each row has a value of its own", async () => {
      const project = await newProject();
      await project.use({ fields: [name] });
      for (const text of ["a", "b"]) await project.create("items", { name: text });
      const after = { fields: [name, "sku:string(..20) unique"] };
      await assert.rejects(project.change(after), refused);
      await project.change(after, (file) => file.replace(/^-- (UPDATE .* = )…/m, "$1name"));
      assert.deepEqual(await project.list("items"), [
        { name: "b", sku: "b" },
        { name: "a", sku: "a" },
      ]);
    });

    test("values may be equal in a field that is not unique any more", async () => {
      const project = await newProject();
      await project.use({ fields: ["sku:string(..20) unique"] });
      await project.create("items", { sku: "a" });
      await project.change({ fields: ["sku:string(..20)"] });
      await project.create("items", { sku: "a" });
      assert.equal((await project.list("items")).length, 2);
    });

    test("a reference gets another resource if no row has one", async () => {
      const project = await newProject();
      const resources = [orders, "boats: note:string?"];
      await project.use({ fields: [name, "to:ref(orders)?"], resources });
      await project.create("items", { to: await project.create("orders", {}) });
      const after = { fields: [name, "to:ref(boats)?"], resources };
      await assert.rejects(
        project.change(after),
        /"to" of "items" has a value that cannot be kept as an id of "boats"/,
      );
      await project.change(after, (file) => `UPDATE "items" SET "to" = NULL;\n${file}`);
      const boat = await project.create("boats", {});
      await project.create("items", { to: boat });
      assert.deepEqual(await project.list("items"), [{ to: boat }, {}]);
    });

    for (const [was, becomes, value] of [
      ["x:integer", "x:string(..20) unique", "First item"],
      ["x:string(..20) unique", "x:string(..20) unique", "First item"],
      ["x:string?", "x:integer=7", 7],
      ["x:string(..20) unique", "x:integer?", undefined],
      ["x:string(..20)?", "x:string(..9)?", undefined],
    ] as const)
      test(`a removed field can be added again: ${was}, then ${becomes}`, async () => {
        const project = await newProject();
        await project.use({ fields: [name, was] });
        await project.create("items", { x: was === "x:integer" ? 5 : "old" });
        await project.change({ fields: [name] });
        await project.change({ fields: [name, becomes] }, undefined, () => "x_before_0002");
        assert.deepEqual(await project.list("items"), [value === undefined ? {} : { x: value }]);
        if (becomes.endsWith("unique"))
          await assert.rejects(project.create("items", { x: "First item" }), /already taken/);
      });
  });

/** A project whose fields change, and its database. */
class Project {
  readonly #database: string;
  readonly #url: string;
  readonly #files: string[] = [];
  #input: Partial<RequestInput> = {};

  constructor(database: string, url: string) {
    this.#database = database;
    this.#url = url;
  }

  /** Starts with other fields and resources, without a migration. */
  async use(input: Partial<RequestInput>): Promise<void> {
    this.#input = input;
    await this.#open(async () => {});
  }

  /** Starts with the migration that Dory writes, which its owner may edit first. */
  async change(input: Partial<RequestInput>, edit = (file: string) => file, findLeft?: FindLeft): Promise<void> {
    const before = this.#input;
    const migrations = planMigrations(this.#read(before), this.#read(input), findLeft);
    const files = groupMigrations(migrations).map((group) => printMigrationFile(group, this.#database as never) ?? "");
    this.#files.push(...files.map(edit));
    try {
      await this.use(input);
    } catch (error) {
      this.#files.splice(-files.length);
      this.#input = before;
      throw error;
    }
  }

  async create(table: string, item: object): Promise<string> {
    return this.#open(async (find) => JSON.parse(await find(table).create(item)).id);
  }

  /** Adds items that have only a name. */
  async addRows(count: number): Promise<void> {
    const columns = `"items" (id, name, created_at)`;
    if (this.#database === "postgres")
      await this.#query(
        `INSERT INTO ${columns} SELECT gen_random_uuid(), 'many', now() FROM generate_series(1, ${count})`,
      );
    else
      await this.#query(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO ${columns} SELECT 'id ' || i, 'many', '2026-01-31T12:00:00.000Z' FROM n`,
      );
  }

  async count(table: string): Promise<number> {
    return this.#open((find) => find(table).count());
  }

  async #query(sql: string): Promise<void> {
    this.#files.push(sql);
    await this.use(this.#input);
  }

  async remove(table: string, id: string): Promise<void> {
    await this.#open(async (find) => {
      const { rows } = find(table);
      assert.ok(await rows.remove(id, (await rows.find(id)) ?? ""));
    });
  }

  /** The items as they were sent. */
  async list(table: string): Promise<object[]> {
    const page = await this.#open((find) => find(table).list({ limit: 9, cursor: undefined }));
    return JSON.parse(page).items.map(({ id: _, createdAt: __, ...item }: Record<string, unknown>) => item);
  }

  #read(input: Partial<RequestInput>) {
    return readRequest({ name: "my-api", framework: "koa", database: this.#database, ...input });
  }

  async #open<T>(use: (find: (table: string) => Table) => Promise<T>): Promise<T> {
    const { fields, resources } = this.#read(this.#input);
    const config = { databaseUrl: this.#url, handlerTimeoutMs: 10_000, migrationsFolder: this.#writeFiles() };
    const store = createStore(config, [itemRoutes, referenceFields, uniqueFields]);
    const tables = [...resources, { name: "items", fields }].map(
      (one) => [one.name, store.table(buildResource(one))] as const,
    );
    try {
      await store.open();
      return await use((table) => new Map(tables).get(table) as Table);
    } finally {
      await store.close().catch(() => {});
    }
  }

  #writeFiles(): string {
    const folder = mkdtempSync(join(temporaryFolder(), "migrations-"));
    for (const [index, text] of this.#files.entries())
      writeFileSync(join(folder, `000${index + 1}-change.${this.#database}.sql`), text);
    return folder;
  }
}

type Table = ReturnType<ReturnType<typeof createStore>["table"]>;
