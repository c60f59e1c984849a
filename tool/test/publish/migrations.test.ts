import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { deploy } from "../../src/publish/deploy.ts";
import { findBreaks, findMisfits, findNew, listMigrations, toRecord } from "../../src/publish/migrations.ts";
import type { Plan } from "../../src/publish/plan.ts";
import { printPlan } from "../../src/publish/plan.ts";
import type { Release } from "../../src/publish/release.ts";
import { rollback } from "../../src/publish/rollback.ts";
import type { Driver } from "../../src/publish/target.ts";
import { warnOfMigrations } from "../../src/publish/warnings.ts";
import { temporaryFolder } from "../support.ts";
import { memoryWorld } from "./target/memory.ts";
import { catchFault, Scene } from "./target/scene.ts";
import { quiet, shop } from "./target/world.ts";

describe("what an older release may not live with", () => {
  const cases: [sql: string, breaks: string[]][] = [
    ['ALTER TABLE "items" DROP COLUMN "price";', ["drops the column price of items"]],
    ["alter table if exists items drop if exists price cascade", ["drops the column price of items"]],
    ["ALTER TABLE items RENAME COLUMN a TO b", ["renames the column a of items"]],
    ["ALTER TABLE items RENAME a TO b", ["renames the column a of items"]],
    ["ALTER TABLE items RENAME TO things", ["changes the name of items"]],
    ["ALTER TABLE items ALTER COLUMN a TYPE bigint USING a::bigint", ["changes the type of the column a of items"]],
    ["ALTER TABLE items ALTER a SET DATA TYPE bigint", ["changes the type of the column a of items"]],
    ["ALTER TABLE items ALTER COLUMN a SET NOT NULL", ["requires the column a of items"]],
    ["ALTER TABLE items ADD COLUMN a text NOT NULL", ["requires the new column a of items"]],
    [
      "ALTER TABLE items ADD a numeric(5, 2) NOT NULL, DROP b",
      ["requires the new column a of items", "drops the column b of items"],
    ],
    ["DROP TABLE IF EXISTS orders CASCADE", ["drops the table orders"]],
    ["ALTER TABLE items ADD COLUMN a text NOT NULL DEFAULT 'x', ADD b text", []],
    ["ALTER TABLE items ALTER COLUMN a DROP NOT NULL", []],
    ["ALTER TABLE items ADD CONSTRAINT c CHECK (a IS NOT NULL)", ["adds a rule for the rows of items"]],
    ["ALTER TABLE items ADD UNIQUE (a)", ["adds a rule for the rows of items"]],
    ["CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_a ON items (a)", ["adds a unique index to the rows of items"]],
    ["CREATE TABLE notes (a text); CREATE UNIQUE INDEX by_a ON notes (a); ALTER TABLE notes ADD UNIQUE (a)", []],
    ["ALTER TABLE items ALTER a DROP DEFAULT", ["drops the default of the column a of items"]],
    ["ALTER TABLE items SET SCHEMA old", ["changes the schema of items"]],
    ["DROP SCHEMA api CASCADE", ["drops the schema api"]],
    ["DROP VIEW IF EXISTS all_items", ["drops the view all_items"]],
    ["TRUNCATE TABLE items RESTART IDENTITY CASCADE", ["empties the table items"]],
    ['ALTER TABLE "my items" DROP COLUMN "unit price, net"', ["drops the column unit price, net of my items"]],
    ["ALTER TABLE items DROP CONSTRAINT c", []],
    ["-- ALTER TABLE items DROP COLUMN a;\nSELECT 'DROP TABLE items; DROP TABLE orders'", []],
    ["CREATE TABLE a (b text NOT NULL); UPDATE items SET a = 1", []],
  ];
  for (const [sql, breaks] of cases) test(sql, () => assert.deepEqual(findBreaks(sql), breaks));
});

describe("the migrations of an application", () => {
  const write = (files: Record<string, string>) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "migrations"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "migrations", name), text);
    const application = shop();
    return { ...application, services: application.services.map((service) => ({ ...service, folder })) };
  };
  const files = { "0001-a.postgres.sql": "SELECT 1", "0002-b.postgres.sql": "ALTER TABLE items DROP COLUMN a" };

  test("are those of its database, and new if the live release does not have them", () => {
    const all = listMigrations(write(files), {});
    const live = { migrations: { shop: { last: "0001-a", breaks: [] } } } as unknown as Release;
    const added = findNew("shop", all.get("shop") ?? [], live);
    assert.deepEqual(added, [{ name: "0002-b", breaks: ["drops the column a of items"] }]);
    assert.deepEqual(toRecord(all, [{ name: "shop", migrations: added }]), {
      migrations: { shop: { last: "0002-b", breaks: ["0002-b drops the column a of items"] } },
    });
    assert.deepEqual(
      findNew("shop", all.get("shop") ?? [], undefined).map(({ breaks }) => breaks),
      [[], []],
    );
    assert.deepEqual(toRecord(listMigrations(shop(), {}), []), {});
  });

  test("that the live release has must be there", () => {
    const live = { id: "r7", migrations: { shop: { last: "0003-c", breaks: [] } } } as unknown as Release;
    for (const all of [listMigrations(write(files), {}), new Map()])
      assert.throws(() => findNew("shop", all.get("shop") ?? [], live), {
        code: "migrations",
        message: "shop: the live release r7 has the migration 0003-c, whose file is missing. Restore it.",
      });
  });

  test("that have no order are refused before anything is built", () => {
    const gap = write({ "0002-b.postgres.sql": "" });
    assert.throws(() => listMigrations(gap, {}), { code: "migrations", message: "shop: migrations: there is no 0001" });
  });

  test("are in the plan, with a warning about the live release", () => {
    const service = { name: "shop", from: "", port: 3000, env: [], secrets: { names: [], version: null }, changes: [] };
    const migrations = [{ name: "0002-b", breaks: ["drops the column a of items"] }];
    const plan = { live: "r3", services: [{ ...service, migrations }] } as unknown as Plan;
    assert.match(printPlan(plan), /\n {4}new migrations: 0002-b$/);
    assert.match(
      warnOfMigrations(plan).join("\n"),
      /^The migration 0002-b of shop drops the column a of items\. r3 still serves .* two releases: first one whose code works before and after, then this migration\.$/,
    );
  });
});

for (const isSwitching of [true, false])
  describe(`a release with migrations, ${isSwitching ? "next to" : "in place of"} the live one`, () => {
    const migrations = { shop: { last: "0001-a", breaks: ["0001-a drops the column a of items"] } };

    /** A target that applies migrations, and what was done in which order. */
    const newScene = async (result: { isDone: boolean; lines: string[] }) => {
      const world = await memoryWorld({ isSwitching });
      const driver = await world.open();
      const done: string[] = [];
      const apply = driver.apply.bind(driver);
      const migrating: Driver = {
        ...driver,
        async migrate({ id }, service) {
          done.push(`migrate ${service} for ${id}`);
          return result;
        },
        async apply(release, before) {
          done.push(`start ${release.id}`);
          await apply(release, before);
        },
      };
      const scene = new Scene(world, migrating);
      const publish = (shown: string[] = []) => {
        const attempt = scene.attempt({ env: { LOG_LEVEL: "error" } }, {}, quiet(shown));
        return deploy(migrating, { ...attempt, release: { ...attempt.release, migrations } });
      };
      return { scene, done, publish };
    };

    test("applies them once, before it starts, and says what was applied", async () => {
      const { scene, done, publish } = await newScene({ isDone: true, lines: ["{}", "0001-a  applied now"] });
      await scene.publish();
      const shown: string[] = [];
      await publish(shown);
      assert.deepEqual(done, ["start r1", "migrate shop for r2", "start r2"]);
      assert.ok(shown.includes("shop: 0001-a  applied now"));
      await scene.onlyServes("r2");
    });

    test("is not started if one fails: the live one serves on, and the reason is the line of the migration", async () => {
      const line =
        'migrations/0001-a.postgres.sql, line 1: syntax error at or near "TABEL". Nothing of this file is applied.';
      const { scene, done, publish } = await newScene({ isDone: false, lines: ['{"level":"info"}', line] });
      await scene.publish();
      const fault = await catchFault(publish());
      assert.deepEqual([fault.code, fault.outcome], ["migration", "unchanged"]);
      assert.equal(fault.message, `The migrations of shop failed: ${line}`);
      assert.deepEqual(done, ["start r1", "migrate shop for r2"]);
      assert.deepEqual(await scene.releases(), ["r1 live", "r2 failed"]);
      await scene.onlyServes("r1");
    });

    test("leaves nothing if it is the first, and one fails", async () => {
      const { scene, publish } = await newScene({ isDone: false, lines: [] });
      assert.equal((await catchFault(publish())).message, "The migrations of shop failed: its log is empty");
      assert.deepEqual(await scene.world.leftovers(), []);
    });

    test("is rolled back without migrations, and it is said before that the older code may not fit", async () => {
      const { scene, done, publish } = await newScene({ isDone: true, lines: [] });
      await scene.publish();
      await publish();
      const shown: string[] = [];
      const { release } = await rollback(scene.work({}, quiet(shown)), undefined, false);
      const warning = shown.findIndex((text) =>
        /r1 may not fit.*shop: 0001-a drops the column a of items \(r2\)/.test(text),
      );
      assert.ok(warning >= 0 && warning < shown.findIndex((text) => text.startsWith("Start r3")), shown.join("\n"));
      assert.deepEqual(done.at(-1), "start r3");
      assert.deepEqual(release.migrations, { shop: { last: "0001-a", breaks: [] } });
      assert.equal(done.filter((one) => one.startsWith("migrate")).length, 1);
    });
  });

describe("the connections of replicas", () => {
  const uses = [{ service: "shop", server: "db", replicas: 3, connections: 30 }];
  const publish = async (lines: string[], isDone = true, used = uses) => {
    const world = await memoryWorld({ isSwitching: true });
    const driver = await world.open();
    const asked: string[] = [];
    const asking: Driver = {
      ...driver,
      async migrate(_release, service) {
        asked.push(service);
        return { isDone, lines };
      },
    };
    const shown: string[] = [];
    const attempt = { ...world.attempt({}), uses: used, progress: quiet(shown) };
    const { release } = await deploy(asking, attempt);
    return { asked, shown: shown.join("\n"), limits: release.limits };
  };

  test("are compared with what the server says, although there are no migrations", async () => {
    const { asked, shown, limits } = await publish(["There are no migrations.", "The server allows 97 connections."]);
    assert.deepEqual(asked, ["shop"]);
    assert.match(shown, /^Ask the database of shop for its limit$/m);
    assert.match(shown, /^The server allows 97 connections: shop may open 30 \(replicas × DATABASE_POOL_SIZE\)/m);
    assert.deepEqual(limits, { shop: { allowed: 97, isPooled: false } });
  });

  test("that are too many are a warning with what to set", async () => {
    const { shown } = await publish(["The server allows 20 connections."]);
    assert.match(
      shown,
      /^Warning: the server allows 20 connections, but shop may open 30 .*DATABASE_POOL_SIZE to 3\.$/m,
    );
  });

  test("that a pooler shares are told with its name, and without a warning", async () => {
    const { shown, limits } = await publish(["The server allows 20 connections; a pooler is in front of it."]);
    assert.match(shown, /^The database is behind a pooler, whose own limit counts: shop may open 30/m);
    assert.doesNotMatch(shown, /Warning/);
    assert.deepEqual(limits, { shop: { allowed: 20, isPooled: true } });
  });

  test("are not known of a server that does not answer, and a release goes on", async () => {
    const { shown, limits } = await publish(["The database of DATABASE_URL cannot be used: ECONNREFUSED"], false);
    assert.doesNotMatch(shown, /allows|Warning/);
    assert.equal(limits, undefined);
  });

  test("of one container are not asked for", async () => {
    const { asked } = await publish([], true, [{ service: "shop", server: "db", replicas: 1, connections: 10 }]);
    assert.deepEqual(asked, []);
  });
});

describe("a first release of several services", () => {
  test("starts those that were not built, then applies migrations, then starts the rest", async () => {
    const world = await memoryWorld({ isSwitching: true });
    const driver = await world.open();
    const done: string[] = [];
    const recording: Driver = {
      ...driver,
      async startNeeded({ services }) {
        done.push(`start ${services.filter(({ isBuilt }) => !isBuilt).map(({ name }) => name)}`);
      },
      async migrate(_release, service) {
        done.push(`migrate ${service}`);
        return { isDone: true, lines: [] };
      },
      async apply(release, before) {
        done.push("start the rest");
        await driver.apply(release, before);
      },
      // This target has an instance of the first service only.
      async observe(release, lines) {
        const snapshot = await driver.observe(release, lines);
        return { ...snapshot, services: snapshot.services.slice(0, 1) };
      },
    };
    const attempt = world.attempt({ lastMigration: "0001-a" });
    const [service] = attempt.release.services;
    assert.ok(service);
    const database = { ...service, name: "database", isBuilt: false, secrets: [], secretsVersion: null };
    const services = [service, database];
    await deploy(recording, { ...attempt, release: { ...attempt.release, services } });
    assert.deepEqual(done.splice(0), ["start database", "migrate shop", "start the rest"]);
    const next = world.attempt({ lastMigration: "0002-b", env: { LOG_LEVEL: "error" } });
    const [changed] = next.release.services;
    assert.ok(changed);
    await deploy(recording, { ...next, release: { ...next.release, services: [changed, database] } });
    assert.deepEqual(done, ["migrate shop", "start the rest"]);
  });
});

test("releases that failed after their migrations count, too", () => {
  const releases = [
    { id: "r1" },
    { id: "r2", status: "failed", migrations: { api: { last: "0001-a", breaks: ["0001-a drops the table a"] } } },
    { id: "r3" },
  ] as unknown as Release[];
  assert.deepEqual(findMisfits(releases, "r1"), ["api: 0001-a drops the table a (r2)"]);
  assert.deepEqual(findMisfits(releases, "r2"), []);
});
