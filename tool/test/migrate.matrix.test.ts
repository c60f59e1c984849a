import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Backend } from "../../backend/kit/test/backend.ts";
import { isInThisRun } from "../../backend/test/support/matrix.ts";
import { build, project, run, temporaryFolder, writeOut } from "./support.ts";

/** One is bundled as it is, the other compiled before. */
const both = ["hono", "nest"] as const;

for (const framework of both.filter((one) => isInThisRun(one === "hono")))
  describe(`migrations of a project with ${framework}`, async () => {
    const folder = writeOut(project({ framework, database: "sqlite" }));
    const databaseUrl = `file:${join(folder, "data/items.db")}`;
    const write = (name: string, sql: string) => {
      mkdirSync(join(folder, "migrations"), { recursive: true });
      writeFileSync(join(folder, "migrations", name), sql);
    };
    /** Runs the bundle where nothing of the project is, as in an image. */
    const runBundle = (migrate: string) => {
      const image = join(temporaryFolder(), "app");
      cpSync(join(folder, "dist"), image, { recursive: true });
      const script = `process.env.DATABASE_URL = ${JSON.stringify(databaseUrl)}; process.env.MIGRATE = "${migrate}"; require(${JSON.stringify(join(image, "main.cjs"))});`;
      return run("/", process.execPath, "-e", script);
    };
    const migrate = (...args: string[]) => run(folder, process.execPath, "dory.ts", "migrate", ...args);

    test("are none at first", async () => {
      assert.equal(await migrate(), "There are no migrations.\n");
      assert.ok(!existsSync(join(folder, "dist/migrations")));
      await (
        await Backend.start({ DATABASE_URL: databaseUrl }, ["sh", "-c", `exec "$0" '${folder}/dist/main.cjs'`])
      ).stop();
    });

    test("are listed, applied, and part of what is built", async () => {
      write("0001-notes.sqlite.sql", "CREATE TABLE notes (text text);");
      assert.equal(await migrate("--plan"), "0001-notes  pending\n");
      assert.equal(await migrate(), "0001-notes  applied now\n");
      assert.match(await runBundle("plan"), /^0001-notes {2}applied \d{4}-/);
      write("0002-more.sqlite.sql", "INSERT INTO notes VALUES ('one');");
      await build(folder);
      assert.match(await runBundle("only"), /\n0002-more {2}applied now\n$/);
      rmSync(join(folder, "migrations/0002-more.sqlite.sql"));
      await build(folder);
      assert.match(await runBundle("plan"), /\n0002-more {2}applied by a newer release\n$/);
    });

    test("that fail are one line, and a mistake in the command prints how it is called", async () => {
      write("0002-more.sqlite.sql", "INSERT INTO notes VALUES ('one');");
      write("0003-wrong.sqlite.sql", "INSERT INTO nots VALUES ('one');");
      await assert.rejects(migrate(), {
        message:
          "node dory.ts migrate failed:\nmigrations/0003-wrong.sqlite.sql: no such table: nots. Nothing of this file is applied.\n".replace(
            "node",
            process.execPath,
          ),
      });
      await assert.rejects(migrate("--paln"), /npm run migrate -- --plan {2}only list them/);
    });
  });
