import assert from "node:assert/strict";
import { largeItem, validItem } from "./items.ts";
import { type Check, each, expectJson, expectProblem, post, type Subject, send } from "./suite.ts";

const badLimits = [
  "0",
  "101",
  "-1",
  "1.5",
  "1e1",
  "abc",
  "",
  "%205",
  "5%20",
  "+5",
  "05",
  "0x10",
  "NaN",
  "null",
  "5,6",
  "%EF%BC%95",
  "1000000000000000000000",
  "5%00",
  "%zz",
];

const badCursors = [
  "",
  "0",
  "-1",
  "abc",
  "null",
  "%00",
  "%27%20OR%201%3D1",
  "01a1dfb5-23f9-7600-89d4",
  "01a1dfb5-23f9-7600-89d4-567e85082e7g",
  "00000000-0000-7000-8000-000000000000",
  "%F0%9F%98%80",
  "x".repeat(4000),
];

const maxPageBytes = 2 ** 20;

export const listingChecks: Check[] = [
  {
    name: "items are listed newest first, also within one millisecond",
    async run(subject) {
      const { items: earlier } = await list(subject, "?limit=100");
      const made = await create(subject, 30);
      assert.deepEqual(await listed(subject, made, earlier), made.reverse());
    },
  },
  {
    name: "a page has 20 items by default, and as many as `limit` says from 1 to 100",
    async run(subject) {
      await create(subject, 25);
      assert.equal((await list(subject, "")).items.length, 20);
      await each([1, 2, 20, 24], async (limit) => {
        assert.equal((await list(subject, `?limit=${limit}`)).items.length, limit);
      });
      assert.ok((await list(subject, "?limit=100")).items.length >= 25);
    },
  },
  {
    name: "walking the cursors visits every existing item exactly once, even if others are added at the same time",
    async run(subject) {
      const made = await create(subject, 33);
      const added: Item[] = [];
      const seen = await walk(subject, { limit: 10, until: made[0] }, async () => {
        added.push(...(await create(subject, 3)));
      });
      const known = listIds([...made, ...added]);
      assert.deepEqual(
        seen.filter(({ id }) => known.has(id)),
        made.reverse(),
      );
      assert.equal(listIds(seen).size, seen.length, "an item was listed twice");
    },
  },
  {
    name: "the last page has no next cursor",
    async run(subject) {
      await create(subject, 1);
      const seen = await walk(subject, { limit: 100 }, ({ items, nextCursor }) => {
        assert.ok(items.length > 0);
        if (nextCursor !== null) assert.equal(typeof nextCursor, "string");
      });
      assert.equal(listIds(seen).size, seen.length, "the walk visited items again");
    },
  },
  {
    name: "a page of large items has at most 1 MiB, and the next page continues",
    async run(subject) {
      const large = () => largeItem(subject.item, subject.bodyLimitBytes);
      const bytes = JSON.stringify(large()).length;
      // A page of small items never reaches the limit.
      if (bytes * 90 < maxPageBytes) return;
      const made: Item[] = [];
      while (made.length * bytes < maxPageBytes * 1.1) made.push(expectJson(await post(subject, large()), 201));
      const reply = await send(subject, { path: `${subject.path}?limit=100` });
      assert.ok(Buffer.byteLength(reply.body) <= maxPageBytes, `${Buffer.byteLength(reply.body)} bytes`);
      const { items, nextCursor }: Page = expectJson(reply, 200);
      assert.ok(items.length > 0 && nextCursor !== null);
      const seen = await walk(subject, { limit: 100, until: made[0] });
      const known = listIds(made);
      assert.deepEqual(
        [...listIds(seen)].filter((id) => known.has(id)),
        [...known].reverse(),
      );
    },
  },
  {
    name: "a wrong `limit` is 400 and named",
    async run(subject) {
      await each(badLimits, (value) => expectInvalidQuery(subject, `?limit=${value}`, "limit"));
    },
  },
  {
    name: "a wrong `cursor` is 400 and named",
    async run(subject) {
      await each(badCursors, (value) => expectInvalidQuery(subject, `?cursor=${value}`, "cursor"));
    },
  },
  {
    name: "an unknown or repeated query parameter is 400, and the answer names it",
    async run(subject) {
      const queries: [string, string][] = [
        ["?x=1", "x"],
        ["?LIMIT=5", "LIMIT"],
        ["?limit%5B%5D=5", "limit[]"],
        ["?limit=5&offset=0", "offset"],
        ["?limit=5&limit=5", "limit"],
        ["?limit=5&li%6Dit=6", "limit"],
        ["?=1", ""],
        ["?__proto__=1", "__proto__"],
        ["?toString=1", "toString"],
        ["??limit=5", "?limit"],
        ["?limit=5;cursor=1", "limit"],
      ];
      await each(queries, ([query, parameter]) => expectInvalidQuery(subject, query, parameter));
    },
  },
  {
    name: "an empty query changes nothing",
    async run(subject) {
      await each(["?", "?&", "?&&limit=1&", "?li%6Dit=%31"], async (query) => {
        expectJson(await send(subject, { path: `${subject.path}${query}` }), 200);
      });
    },
  },
];

interface Item {
  id: string;
}

interface Page {
  items: Item[];
  nextCursor: string | null;
}

/** Creates items one after the other; returns the oldest first. */
export async function create(subject: Subject, count: number): Promise<Item[]> {
  const made = [];
  for (let n = 0; n < count; n++) made.push(expectJson(await post(subject, validItem(subject.item)), 201));
  return made;
}

export async function list(subject: Subject, query: string): Promise<Page> {
  return expectJson(await send(subject, { path: `${subject.path}${query}` }), 200);
}

/**
 * The listed items from the newest down to the oldest of those in `made`. Items that other clients have added at the
 * same time are left out, but not duplicates and not those in `earlier`.
 */
export async function listed(subject: Subject, made: Item[], earlier: Item[] = []): Promise<Item[]> {
  const known = listIds([...made, ...earlier]);
  const contents = new Set(made.map(printContent));
  const seen = await walk(subject, { limit: 20, until: made[0] });
  return seen.filter((item) => known.has(item.id) || contents.has(printContent(item)));
}

/** Follows the cursors from the newest item to `until` or to the end, for at most 50 pages. */
async function walk(
  subject: Subject,
  { limit, until }: { limit: number; until?: Item | undefined },
  onPage: (page: Page) => unknown = () => {},
): Promise<Item[]> {
  const seen: Item[] = [];
  let query = `?limit=${limit}`;
  for (let pages = 0; pages < 50; pages++) {
    const page = await list(subject, query);
    await onPage(page);
    const end = page.items.findIndex(({ id }) => id === until?.id);
    seen.push(...(end < 0 ? page.items : page.items.slice(0, end + 1)));
    if (end >= 0 || page.nextCursor === null) break;
    query = `?limit=${limit}&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  return seen;
}

function listIds(items: Item[]): Set<string> {
  return new Set(items.map(({ id }) => id));
}

function printContent({ id, ...rest }: Item): string {
  return JSON.stringify({ ...rest, createdAt: undefined });
}

async function expectInvalidQuery(subject: Subject, query: string, parameter: string): Promise<void> {
  const { detail, errors } = expectProblem(
    await send(subject, { path: `${subject.path}${query}` }),
    400,
    "invalid_query",
  );
  assert.equal(errors?.[0]?.parameter, parameter);
  assert.ok(detail.includes(parameter));
}
