import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Conditions } from "../../src/core/conditions.ts";
import type { Resource } from "../../src/core/resource.ts";
import { load } from "../project.ts";
import { everyDatabase } from "./databases.ts";
import { loadStores } from "./store.ts";

type Editors = typeof import("../../src/core/features/item-routes/editor.ts");

const { readConditionHeaders } = await load<typeof import("../../src/core/conditions.ts")>("src/core/conditions.ts");
const { createEditor } = await load<Editors>("src/core/features/item-routes/editor.ts");
const { toEtag } = await load<typeof import("../../src/core/features/item-routes/etag.ts")>(
  "src/core/features/item-routes/etag.ts",
);
const { mergePatch } = await load<typeof import("../../src/core/features/item-routes/merge-patch.ts")>(
  "src/core/features/item-routes/merge-patch.ts",
);
const { handling } = await load<typeof import("../../src/core/http/response.ts")>("src/core/http/response.ts");
const { logging } = await load<typeof import("../../src/core/log.ts")>("src/core/log.ts");
const { createStore } = await loadStores();
const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");

logging.level = "silent";

describe("a merge patch", () => {
  // RFC 7396, appendix A.
  const published = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ["{}", '{"__proto__":{"x":1},"a":{"__proto__":null}}', '{"__proto__":{"x":1},"a":{}}'],
  ] as const;
  for (const [target, patch, result] of published)
    test(`of ${target} by ${patch} is ${result}`, () => {
      assert.equal(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch))), result);
    });
});

describe("an entity tag", () => {
  test("is the same for all JSON texts of an item, and differs for another item", () => {
    const tag = toEtag('{"id":"1","a":1e-7,"b":"é"}');
    assert.match(tag, /^"[\w-]{43}"$/);
    assert.equal(toEtag('{ "b": "\\u00e9", "a": 0.0000001, "id": "1" }'), tag);
    for (const other of ['{"id":"1","a":1e-7}', '{"id":"1","a":"1e-7","b":"é"}', '{"id":"2","a":1e-7,"b":"é"}'])
      assert.notEqual(toEtag(other), tag);
  });

  const tags: [sent: string, read: string[]][] = [
    ["*", ["*"]],
    ['"a"', ['"a"']],
    ['W/"a"', ['W/"a"']],
    ['"a,b" , "c"', ['"a,b"', '"c"']],
    [', "a",, "b",', ['"a"', '"b"']],
  ];
  for (const [sent, expected] of tags)
    test(`is read from If-Match: ${sent}`, () =>
      assert.deepEqual(readConditionHeaders({ rawHeaders: ["IF-MATCH", sent] }).match, expected));
});

interface Counter {
  count: number;
  more: unknown;
}

/** Any value is a counter: what is tested here is not the schema. */
const Counter: StandardSchemaV1<unknown, Counter> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Counter }) },
};

const counters: Resource<Counter> = {
  name: "counters",
  title: "Counter",
  schema: Counter,
  columns: { count: { type: "number", isRequired: true }, more: { type: "json", isRequired: true } },
};

const zero = { count: 0, more: {} };
const any: Conditions = { match: ["*"], noneMatch: [] };

describe("changes of one item", () => {
  const id = "01a1dfb5-23f9-7600-89d4-567e85082e75";
  const at = "2026-01-31T12:00:00.000Z";

  /** A table with one item, which counts how often it is read. `isFree` says whether a change finds it unchanged. */
  function openCounted(isFree: () => boolean | Promise<boolean>) {
    let stored = JSON.stringify({ id, ...zero, createdAt: at });
    const counted = { reads: 0, count: () => JSON.parse(stored).count };
    const rows = {
      async find() {
        assert.ok(++counted.reads <= 1000, "the work does not end");
        return stored;
      },
      async swap(_id: string, before: string, item: Counter) {
        await nextTurn();
        if (!(await isFree()) || before !== stored) return false;
        stored = JSON.stringify({ id, ...item, createdAt: at });
        return true;
      },
      remove: async () => false,
    };
    return Object.assign(counted, { editor: createEditor(counters, { rows } as never) });
  }

  test("are made in turn: none reads it again because of another", async () => {
    const table = openCounted(() => true);
    const changes = Array.from({ length: 100 }, (_, index) => table.editor.patch(id, { count: index }, any));
    await Promise.all(changes);
    assert.deepEqual([table.reads, table.count()], [100, 99]);
    const known = { match: ['"old"'], noneMatch: [] };
    const stale = changes.map(() => table.editor.patch(id, { count: 7 }, known).then(() => "changed", isStale));
    assert.deepEqual([...new Set(await Promise.all(stale)), table.reads], [false, 200]);
  });

  test("end if other processes are always faster", async () => {
    const table = openCounted(() => false);
    await assert.rejects(table.editor.patch(id, { count: 1 }, any), { code: "unavailable" });
    await assert.rejects(table.editor.remove(id, any), { code: "unavailable" });
    assert.ok(table.reads <= 200, `${table.reads} reads`);
  });

  test("are not made if something else was answered while they waited, but are after an answer", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const table = openCounted(() => promise);
    const patch = (res: object, count: number) =>
      handling.run(res as never, () => table.editor.patch(id, { count }, any).then(() => count, isGivenUp));
    const [late, answered, gone] = [{ destroyed: false }, { destroyed: false }, { destroyed: true }];
    const changes = [patch({ destroyed: false }, 1), patch(late, 2), patch(answered, 3), patch(gone, 4)];
    Object.assign(late, { destroyed: true, writableEnded: false });
    Object.assign(answered, { destroyed: true, writableEnded: true });
    resolve(true);
    assert.deepEqual([await Promise.all(changes), table.reads], [[1, "given up", 3, 4], 3]);
  });
});

for (const [kind, newDatabase] of await everyDatabase())
  describe(`items on ${kind}`, () => {
    test("lose no change when many clients change them at the same time over several connections", async () => {
      await using all = await open();
      const { id } = await all.make();
      let acknowledged = 0;
      const count = async (editor: Editor) => {
        for (let done = 0; done < 5; ) {
          const { headers, body } = await editor.read(id, { match: undefined, noneMatch: [] });
          const next = { count: JSON.parse(body ?? "").count + 1 };
          const known = { match: [headers["ETag"] ?? ""], noneMatch: [] };
          const isDone = await editor.patch(id, next, known).then(() => true, isStale);
          done += Number(isDone);
          acknowledged += Number(isDone);
        }
      };
      await Promise.all(Array.from({ length: 6 }, () => all.editors.map(count)).flat());
      assert.deepEqual([(await all.read(id)).count, acknowledged], [60, 60]);
    });

    test("lose no patch with If-Match: *", async () => {
      await using all = await open();
      const { id } = await all.make();
      const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name, at) => all.editors[at % 2]?.patch(id, { more: { [name]: 1 } }, any)));
      assert.deepEqual(Object.keys((await all.read(id)).more as object).sort(), names.sort());
    });

    test("are created once for each key, even if a deletion and retries run at the same time", async () => {
      await using all = await open();
      for (let round = 0; round < 15; round++) {
        const key = { idempotencyKey: `key-${round}` };
        const retry = async (at: number) => JSON.parse((await all.tables[at % 2]?.create(zero, key)) ?? "").id;
        const id = await retry(0);
        const [editor = assert.fail()] = all.editors;
        const ids = await Promise.all([retry(0), retry(1), editor.remove(id, any).then(() => id), retry(0), retry(1)]);
        assert.deepEqual([...new Set([...ids, await retry(0), await retry(1)])], [id]);
        assert.deepEqual(await all.ids(), []);
      }
    });

    test("that are all deleted leave an empty page after a known cursor", async () => {
      await using all = await open();
      const made = [await all.make(), await all.make(), await all.make()];
      const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = made.map(({ id }) => id);
      await all.editors[0]?.remove(first, any);
      assert.deepEqual(await all.ids(second), []);
      await all.editors[0]?.remove(second, any);
      assert.deepEqual([await all.ids(second), await all.ids(first), await all.ids(third)], [[], [], []]);
      await all.editors[0]?.remove(third, any);
      assert.deepEqual([await all.ids(third), await all.ids(first)], [[], []]);
    });

    /** Two stores on one database, like those of two replicas. */
    async function open() {
      const databaseUrl = await newDatabase();
      // The migrations of a project are for its tables, which this database does not have.
      const stores = [0, 1].map(() => createStore({ databaseUrl, handlerTimeoutMs: 20_000, migrate: "off" }, features));
      const tables = stores.map((store) => store.table(counters));
      for (const store of stores) await store.open();
      const [table = assert.fail()] = tables;
      const editors = tables.map((one) => createEditor(counters, one));
      const read = async (id: string): Promise<Counter> => JSON.parse((await table.rows.find(id)) ?? "");
      const ids = async (cursor?: string): Promise<string[]> =>
        JSON.parse(await table.list({ limit: 9, cursor })).items.map(({ id }: { id: string }) => id);
      const make = async (): Promise<{ id: string }> => JSON.parse(await table.create(zero));
      return {
        tables,
        editors,
        read,
        ids,
        make,
        [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((store) => store.close()))),
      };
    }
  });

type Editor = ReturnType<typeof createEditor<Counter>>;

function isGivenUp(problem: { code?: string }): "given up" {
  if (problem.code !== "unavailable") throw problem;
  return "given up";
}

function isStale(problem: { status?: number }): false {
  if (problem.status !== 412) throw problem;
  return false;
}
