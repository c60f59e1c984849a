import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Backend, temporaryFolder } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { type Answer, create, get, listAll, withClient } from "../support/client.ts";

const noiseMs = 15_000;

describe("while another process holds the write lock", { timeout: 60_000 }, () => {
  for (const crowd of [1, 20])
    test(`creations wait for it, and everything else is answered: ${crowd} waiting`, async () => {
      const url = await newSqliteFile();
      using backend = await Backend.start({ DATABASE_URL: url });
      using lock = takeLock(url);
      const creations = await createOneByOne(backend.url, crowd);
      let settled = 0;
      for (const creation of creations) creation.finally(() => settled++).catch(() => {});
      assert.equal((await get(backend.url, "/health")).status, 200);
      assert.deepEqual((await get(backend.url, "/items")).body.items, []);
      assert.equal(settled, 0);
      lock.exec("ROLLBACK");
      const statuses = (await Promise.all(creations)).map(({ status }) => status);
      assert.deepEqual(new Set(statuses), new Set([201]));
      assert.equal((await listAll(backend.url)).length, crowd);
    });

  test("a creation that cannot get it fails in time and stores nothing", async () => {
    const url = await newSqliteFile();
    using backend = await Backend.start({ DATABASE_URL: url, HANDLER_TIMEOUT_MS: "1000" });
    using lock = takeLock(url);
    const started = performance.now();
    for (const answer of await Promise.all(await createOneByOne(backend.url, 10))) assertUnavailable(answer);
    assert.ok(performance.now() - started < 1000 + 2000 + noiseMs);
    lock.exec("ROLLBACK");
    await sleep(200);
    assert.deepEqual(await listAll(backend.url), []);
    assert.equal((await create(backend.url, "afterwards")).status, 201);
  });

  test("a starting backend waits for it", async () => {
    const url = await newSqliteFile();
    using lock = takeLock(url);
    lock.exec("CREATE TABLE other (id)");
    const starting = Backend.start({ DATABASE_URL: url });
    await sleep(500);
    lock.exec("COMMIT");
    using backend = await starting;
    assert.equal((await create(backend.url, "first")).status, 201);
  });
});

test("what another process has written is on the next requested page", async () => {
  const url = await newSqliteFile();
  using backend = await Backend.start({ DATABASE_URL: url });
  using other = new DatabaseSync(fileURLToPath(url));
  const insert = other.prepare("INSERT INTO items (id, name, created_at) VALUES (?, 'by another', '')");
  await withClient(backend.url, async (client) => {
    for (let made = 0; made < 20; made++) {
      const id = randomUUID();
      insert.run(id);
      assert.equal((await client.get("/items")).body.items?.[0]?.id, id);
    }
  });
});

describe("when the disk is full", { timeout: 60_000 }, () => {
  test("creations fail, reads work, and every acknowledged item is there: a file that may not grow", async () => {
    const limited = ["bash", "-c", 'ulimit -f 256; exec "$0" "$@"'];
    using backend = await Backend.start({ DATABASE_URL: await newSqliteFile() }, limited);
    await isFull(backend);
  });

  test("it works again when there is space: a volume that fills up", async (t) => {
    const volume = mountSmallVolume();
    if (!volume) return t.skip("only root can mount a small volume here");
    try {
      using backend = await Backend.start({ DATABASE_URL: `file:${join(volume, "items.db")}` });
      const filler = join(volume, "filler");
      fill(volume, filler);
      const acknowledged = await isFull(backend);
      rmSync(filler);
      await eventually(
        async () => (await get(backend.url, "/health")).status === 200,
        "the backend to be healthy again",
      );
      const { status, body } = await create(backend.url, "afterwards");
      assert.equal(status, 201);
      assert.deepEqual(await ids(backend.url), new Set([...acknowledged, body.id]));
      assert.equal(await backend.stop(), 0);
    } finally {
      execFileSync("umount", [volume]);
    }
  });
});

describe("/health notices", { timeout: 60_000 }, () => {
  const [header, page] = [100, 4096];
  const damages: [string, (path: string) => void][] = [
    ["a file that is no database any more", (path) => overwrite(path, 0, header)],
    ["a file whose pages are not readable", (path) => overwrite(path, page, statSync(path).size - page)],
    ["a file that is gone", (path) => rmSync(path)],
    ["an empty file in its place", (path) => truncateSync(path)],
  ];
  for (const [what, damage] of damages)
    test(what, async () => {
      const url = await newSqliteFile();
      using backend = await Backend.start({ DATABASE_URL: url });
      for (let made = 0; made < 20; made++) assert.equal((await create(backend.url, `item ${made}`)).status, 201);
      assert.equal((await get(backend.url, "/health")).status, 200);
      const path = fileURLToPath(url);
      using other = new DatabaseSync(path);
      other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      damage(path);
      await sleep(150);
      assertUnavailable(await get(backend.url, "/health"));
    });
});

/** Fills a part of a file with bytes that mean nothing. */
function overwrite(path: string, from: number, length: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from);
  closeSync(file);
}

function takeLock(url: string): DatabaseSync {
  const lock = new DatabaseSync(fileURLToPath(url));
  lock.exec("BEGIN IMMEDIATE");
  return lock;
}

/** Creations that arrive one after the other, so that they cannot share a transaction. */
async function createOneByOne(url: string, count: number): Promise<Promise<Answer>[]> {
  const creations: Promise<Answer>[] = [];
  for (let made = 0; made < count; made++) {
    creations.push(create(url, `item ${made}`));
    await sleep(5);
  }
  return creations;
}

/** Creates items until the disk is full; resolves with the ids of the acknowledged ones. */
async function isFull(backend: Backend): Promise<Set<string | undefined>> {
  const acknowledged = new Set<string | undefined>();
  const refusal = await withClient(backend.url, async (client) => {
    for (let made = 0; made < 2000; made++) {
      const answer = await client.create("x".repeat(200));
      if (answer.status !== 201) return answer;
      acknowledged.add(answer.body.id);
    }
    return assert.fail("the disk is never full");
  });
  assertUnavailable(refusal);
  assertUnavailable(await create(backend.url, "x".repeat(200)));
  await eventually(() => backend.logged.some((line) => line.includes("the database cannot be used")), "a log line");
  assert.ok(acknowledged.size > 0);
  for (let asked = 0; asked < 3; asked++) {
    assertUnavailable(await get(backend.url, "/health"));
    await sleep(150);
  }
  assert.deepEqual(await ids(backend.url), acknowledged);
  return acknowledged;
}

async function ids(url: string): Promise<Set<string | undefined>> {
  return new Set((await listAll(url)).map(({ id }) => id));
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.code], [503, "unavailable"]);
  assert.match(headers["retry-after"] ?? "", /^\d+$/);
}

function mountSmallVolume(): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", folder], { stdio: "ignore" });
    return folder;
  } catch {
    return undefined;
  }
}

/** Leaves space for a few items. */
function fill(volume: string, filler: string): void {
  const { bavail, bsize } = statfsSync(volume);
  writeFileSync(filler, Buffer.alloc((bavail - 25) * bsize));
}
