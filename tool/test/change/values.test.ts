import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { everyDatabase } from "../../../backend/kit/test/databases.ts";
import { referenceFields } from "../../../backend/src/core/features/reference-fields/feature.ts";
import { logging } from "../../../backend/src/core/log.ts";
import { createStore } from "../../../backend/src/core/store/open.ts";
import { planMigrations, printMigrationFile } from "../../src/change/sql.ts";
import { buildResource } from "../../src/new/builders.ts";
import { readRequest } from "../../src/new/request.ts";
import { temporaryFolder } from "../support.ts";

logging.level = "silent";

/** Stands for the id of the one order. */
const order = "the order";

/** Values of each type; those of other types are made from them. */
const samples: Record<string, unknown[]> = {
  string: [
    "5",
    "0",
    "-1.5",
    "0.1",
    "true",
    "x",
    "",
    "01",
    "1.50",
    "1e3",
    "1e-11",
    "467523.78047057",
    " 5",
    "-0",
    "0.00001",
    "9007199254740991",
    "9007199254740993",
    order,
  ],
  number: [1.5, 5, 0, 1, -2.5, 0.1 + 0.2, 2 / 3, 1e15, 1e15 + 0.5, 1e16, 1e21, 1e-5, 2 ** 53],
  integer: [5, 0, 1, -7, Number.MAX_SAFE_INTEGER],
  boolean: [true, false],
  json: ["x", "5", order, 5, 1.5, true, null, { a: 1 }, [1]],
  "ref(orders)": [order],
  "string[]": [["x"], ["5"], [order], [], ["a", "b"]],
  "number[]": [[1.5], [2], [1, 2]],
  "integer[]": [[5], [], [1, 1]],
  "boolean[]": [[true], [false, true]],
};
const types = Object.keys(samples);

const isList = (type: string) => type.endsWith("[]");

/** What a value becomes; undefined if it cannot be kept. */
function keep(value: unknown, is: string, must: string): unknown {
  if (is === must || must === "json") return value;
  if (isList(is)) {
    const list = value as unknown[];
    return list.length === 1 ? keep(list[0], "json", must) : undefined;
  }
  if (isList(must)) {
    const only = keep(value, is, must.slice(0, -2));
    return only === undefined ? undefined : [only];
  }
  if (must.startsWith("ref")) return value === order ? value : undefined;
  if (is === "json") return keepJson(value, must);
  const written = must === "string" ? spell(value) : read(value, must);
  return must === "string" || is !== "string" || spell(written) === value ? written : undefined;
}

/** Any JSON is only what it is. */
function keepJson(value: unknown, must: string): unknown {
  if (must === "integer") return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === must ? value : undefined;
}

/** Text, a number or a boolean as a number or a boolean. */
function read(value: unknown, must: string): unknown {
  if (value === order) return undefined;
  const [number, text] = [Number(value), String(value)];
  if (must === "boolean") return [true, false].find((one) => String(one) === text || Number(one) === value);
  if (typeof value === "string" && !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  if (must === "integer") return Number.isSafeInteger(number) ? number : undefined;
  return typeof value === "string" && text.length > 15 ? undefined : number;
}

/** As both databases write it. */
function spell(value: unknown): string | undefined {
  if (typeof value !== "number") return String(value);
  if (!Number.isInteger(value)) return value > 1e15 ? undefined : String(value).replace("0.00001", "1e-05");
  return value < 1e18 ? BigInt(value).toString() : String(value);
}

interface Case {
  is: string;
  must: string;
  value: unknown;
  becomes: unknown;
}

/** Those between lists, and from any JSON to a list, have the same column. */
const cases = types.flatMap((is) =>
  types
    .filter((must) => must !== is && !((isList(is) || is === "json") && (isList(must) || must === "json")))
    .flatMap((must) => (samples[is] ?? []).map((value): Case => ({ is, must, value, becomes: keep(value, is, must) }))),
);
const kept = cases.filter(({ becomes }) => becomes !== undefined);
const lost = cases.filter(({ becomes }) => becomes === undefined);

const resources = ["orders: note:string"];
const nameField = (index: number) => `f${index}`;
const toFields = (some: Case[], which: "is" | "must") => some.map((one, index) => `${nameField(index)}:${one[which]}?`);
const request = (fields: string[], database: string) =>
  readRequest({ name: "my-api", framework: "koa", database, resources, fields });

for (const [title, newDatabase] of await everyDatabase())
  describe(`a field that gets another type, on ${title},`, () => {
    const database = title === "SQLite" ? "sqlite" : "postgres";

    const open = async (url: string, fields: string[], migrationsFolder = temporaryFolder()) => {
      const { fields: own, resources: others } = request(fields, database);
      const store = createStore({ databaseUrl: url, handlerTimeoutMs: 10_000, migrationsFolder }, [referenceFields]);
      const orders = store.table(buildResource({ name: "orders", fields: others[0]?.fields ?? [] }));
      const items = store.table(buildResource({ name: "items", fields: own }));
      await store.open();
      return { orders, items, close: () => store.close() };
    };

    /** An item with all the values, and one with none. Returns the id of the order. */
    const fill = async (url: string, some: Case[]): Promise<string> => {
      const { orders, items, close } = await open(url, toFields(some, "is"));
      try {
        const { id } = JSON.parse(await orders.create({ note: "" }));
        await items.create({});
        await items.create(toItem(id, some, "value"));
        return id;
      } finally {
        await close();
      }
    };

    const plan = (before: string[], after: string[]) =>
      printMigrationFile(planMigrations(request(before, database), request(after, database)), database) ?? "";

    test("keeps each value exactly that has a counterpart", async () => {
      for (let at = 0; at < kept.length; at += 90) {
        const some = kept.slice(at, at + 90);
        const url = await newDatabase();
        const id = await fill(url, some);
        const folder = temporaryFolder();
        const file = plan(toFields(some, "is"), toFields(some, "must"));
        writeFileSync(join(folder, `0001-change.${database}.sql`), file);
        const { items, close } = await open(url, toFields(some, "must"), folder);
        const page = JSON.parse(await items.list({ limit: 9, cursor: undefined })).items;
        await close();
        const [{ id: _, createdAt: __, ...found }, { id: ___, createdAt: ____, ...empty }] = page;
        for (const [index, { is, must, value, becomes }] of some.entries())
          assert.deepEqual([is, must, value, found[nameField(index)]], [is, must, value, place(id, becomes)]);
        assert.deepEqual(empty, {});
      }
    });

    test("is refused by name if a value has none", async () => {
      for (let at = 0; at < lost.length; at += 90) {
        const some = lost.slice(at, at + 90);
        const url = await newDatabase();
        await fill(url, some);
        await inDatabase(url, async (run) => {
          for (const [index, { is, must, value }] of some.entries()) {
            const name = nameField(index);
            const file = plan([`${name}:${is}?`], [`${name}:${must}?`]);
            const kind = must === "ref(orders)" ? 'an id of "orders"' : must;
            const message = `"${name}" of "items" has a value that cannot be kept as ${kind}; change such values first`;
            await assert.rejects(run(file), { message }, JSON.stringify({ is, must, value }));
          }
        });
      }
    });
  });

const place = (id: string, value: unknown) =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll(order, id));

const toItem = (id: string, some: Case[], which: "value" | "becomes") =>
  Object.fromEntries(some.map((one, index) => [nameField(index), place(id, one[which])]));

/** Runs SQL in transactions that are rolled back. */
async function inDatabase(url: string, use: (run: (sql: string) => Promise<void>) => Promise<void>): Promise<void> {
  if (url.startsWith("file:")) {
    using db = new DatabaseSync(fileURLToPath(url), { enableForeignKeyConstraints: false });
    return await use(async (sql) => {
      db.exec("BEGIN");
      try {
        db.exec(sql);
      } finally {
        db.exec("ROLLBACK");
      }
    });
  }
  const db = new Client(url);
  await db.connect();
  try {
    await use(async (sql) => {
      await db.query("BEGIN");
      await db.query(sql).finally(() => db.query("ROLLBACK"));
    });
  } finally {
    await db.end();
  }
}
