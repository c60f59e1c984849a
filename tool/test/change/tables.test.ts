import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { everyDatabase } from "../../../backend/kit/test/databases.ts";
import { itemRoutes } from "../../../backend/src/core/features/item-routes/feature.ts";
import { referenceFields } from "../../../backend/src/core/features/reference-fields/feature.ts";
import { uniqueFields } from "../../../backend/src/core/features/unique-fields/feature.ts";
import { logging } from "../../../backend/src/core/log.ts";
import type { Resource } from "../../../backend/src/core/resource.ts";
import { createStore } from "../../../backend/src/core/store/open.ts";
import { modernise } from "../../src/change/outdated.ts";
import { buildResource } from "../../src/new/builders.ts";
import { parseFields } from "../../src/new/field.ts";
import { writeOut } from "../support.ts";
import { madeBy } from "./versions.ts";

logging.level = "silent";

/** Fields of every type, and their columns as 0.1.0 wrote them. */
const columns: [field: string, column: string][] = [
  ["name:string(1..200)", "text NOT NULL"],
  ["price:number(min=0)?", "double precision"],
  ["count:integer(0..100)", "bigint NOT NULL"],
  ["live:boolean=true", "boolean NOT NULL DEFAULT true"],
  ["due:timestamp", "text NOT NULL"],
  ["kind:enum(a|b)=b", "text NOT NULL DEFAULT 'b'"],
  ["tags:string[]", "json NOT NULL"],
  ["sizes:integer[]=[1,2]", "json NOT NULL DEFAULT '[1,2]'"],
  ["day:date?", "text"],
  ["key:uuid unique", "text NOT NULL"],
  ["contact:email", "text NOT NULL"],
  ["website:url", "text NOT NULL"],
  ["more:json?", "json"],
  ["orderId:ref(orders)", "uuid NOT NULL"],
  ['note:string="it\'s"', "text NOT NULL DEFAULT 'it''s'"],
  ["rate:number=0.5", "double precision NOT NULL DEFAULT 0.5"],
];

const fields = parseFields(columns.map(([field]) => field));
const ordersOfNow = buildResource({ name: "orders", fields: parseFields(["name:string"]) });
const itemsOfNow = buildResource({ name: "items", fields });

/** As an owner has them who copied a resource in 0.1.0. */
const oldItems = {
  name: "items",
  title: "Item",
  columns: Object.fromEntries(fields.map(({ name }, index) => [name, columns[index]?.[1] ?? ""])),
  unique: ["key"],
  references: { orderId: "orders" },
} as unknown as Resource;
const oldOrders = { name: "orders", title: "Order", columns: { name: "text NOT NULL" } } as unknown as Resource;

type Create = (config: { databaseUrl: string; handlerTimeoutMs: number }) => ReturnType<typeof createStore>;

/** With what that project asked for. */
const createNewStore: Create = (config) => createStore(config, [itemRoutes, referenceFields, uniqueFields]);

/** The store of a project that 0.1.0 made. */
const { files } = madeBy("0.1.0").find(({ input }) => input.resources && input.framework === "hono") ?? assert.fail();
const { createStore: createOldStore }: { createStore: Create } = await import(
  join(writeOut(files), "src/store/open.ts")
);

/** The resource after an update. */
function update(resource: Resource): Resource {
  const lines = Object.entries(resource.columns).map(([name, sql]) => `${name}: ${JSON.stringify(sql)}`);
  const text = `import type { Resource } from "../resource.ts";\nreturn { columns: {\n  ${lines.join(",\n  ")},\n} };\n`;
  const updated = modernise(text, text).replace(/^import .*/, "");
  return { ...resource, columns: new Function(updated)().columns };
}

const newItem = (orderId: string) => ({
  name: "Boat",
  price: 2.5,
  count: 7,
  live: false,
  due: "2026-01-31T12:00:00Z",
  kind: "a",
  tags: ["x"],
  sizes: [],
  day: "2026-01-31",
  key: randomUUID(),
  contact: "a@b",
  website: "http://a",
  more: null,
  orderId,
  note: "it's",
  rate: 5,
});

for (const [kind, newDatabase] of await everyDatabase())
  describe(`tables on ${kind} that 0.1.0 made for fields of every type`, () => {
    const news = {
      "as it makes them now": [ordersOfNow, itemsOfNow],
      "whose columns were SQL": [update(oldOrders), update(oldItems)],
    };
    for (const [what, [orders = oldOrders, items = oldItems]] of Object.entries(news))
      test(`are used and not changed by resources ${what}`, async () => {
        const url = await newDatabase();
        const orderId = await use(createOldStore, url, [oldOrders, oldItems], async ([orders, items]) => {
          const { id } = JSON.parse((await orders?.create({ name: "first" })) ?? "");
          await items?.create(newItem(id));
          return id;
        });
        const before = await describeTables(url);
        await use(createNewStore, url, [orders, items], async ([, table]) => {
          await table?.create(newItem(orderId));
          const page = JSON.parse((await table?.list({ limit: 9, cursor: undefined })) ?? "");
          const [one, other] = page.items.map(({ id, createdAt, key, ...rest }: Record<string, unknown>) => rest);
          assert.deepEqual([one, other], [other, one]);
          assert.deepEqual({ ...one, key: "" }, { ...newItem(orderId), key: "" });
        });
        assert.deepEqual(await describeTables(url), before);
        assert.match(before.join("\n"), /price/);
      });

    test("are the same as those it makes now", async () => {
      const [old, now] = [await newDatabase(), await newDatabase()];
      await use(createOldStore, old, [oldOrders, oldItems], async () => "");
      await use(createNewStore, now, [ordersOfNow, itemsOfNow], async () => "");
      assert.deepEqual(await describeTables(now), await describeTables(old));
    });
  });

type Tables = ReturnType<ReturnType<Create>["table"]>[];

async function use<T>(
  create: Create,
  databaseUrl: string,
  resources: Resource[],
  work: (tables: Tables) => Promise<T>,
) {
  const store = create({ databaseUrl, handlerTimeoutMs: 10_000 });
  const tables = resources.map((resource) => store.table(resource));
  await store.open();
  try {
    return await work(tables);
  } finally {
    await store.close();
  }
}

/** What the database itself says about its tables. */
async function describeTables(url: string): Promise<string[]> {
  if (url.startsWith("file:")) {
    using database = new DatabaseSync(fileURLToPath(url));
    const rows = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").all();
    return rows.map(({ sql }) => String(sql).replaceAll(/\s+/g, " "));
  }
  const client = new Client(url);
  await client.connect();
  const texts = [
    `SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) AS sql
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     JOIN pg_class ON pg_class.oid = attrelid AND relnamespace = 'public'::regnamespace
     WHERE attnum > 0 ORDER BY attrelid::regclass::text, attnum`,
    `SELECT concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)) AS sql FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace ORDER BY 1`,
    "SELECT indexdef AS sql FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  ];
  try {
    const all: string[] = [];
    for (const text of texts) all.push(...(await client.query(text)).rows.map(({ sql }) => sql));
    return all;
  } finally {
    await client.end();
  }
}
