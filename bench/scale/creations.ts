import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPost, unique } from "../load.ts";
import { findFreePort, Server } from "../server.ts";
import { readNumber } from "./database.ts";
import type { Series } from "./series.ts";
import type { ScaleSetting } from "./setting.ts";

const size = `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname IN ('items', 'items_keys')`;
const rows = "SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM items_keys)";

/** What each creation leaves behind, with and without an idempotency key: rows, bytes in the database, lines in the log. */
export async function measureCreations(setting: ScaleSetting): Promise<Series[]> {
  setting.report("creations");
  const request = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));
  const withKey = request.message.replace("\r\n\r\n", `\r\nIdempotency-Key: ${unique}\r\n\r\n`);
  const plain = await measure(setting, request.message);
  const keyed = await measure(setting, withKey);
  return [...label("without a key", plain), ...label("with a key", keyed)];
}

const label = (what: string, series: Series[]) => series.map((one) => ({ ...one, title: `${one.title}, ${what}` }));

async function measure({ postgres, plan, bundle, load }: ScaleSetting, message: string): Promise<Series[]> {
  const folder = mkdtempSync(join(tmpdir(), "scale-"));
  const log = join(folder, "log");
  const DATABASE_URL = await postgres.createDatabase();
  // Rows and bytes are the same, and there are more of them.
  await readNumber(
    DATABASE_URL,
    `ALTER DATABASE ${new URL(DATABASE_URL).pathname.slice(1)} SET synchronous_commit = off`,
  );
  const command = ["sh", "-c", `exec "$0" "$1" > "$2"`, process.execPath, bundle, log];
  const server = await Server.startWith(command, await findFreePort(), "/health", { DATABASE_URL });
  const read = async () => {
    const lines = readFileSync(log, "utf8").split("\n").length - 1;
    const [bytes, all] = [await readNumber(DATABASE_URL, size), await readNumber(DATABASE_URL, rows)];
    return { Rows: all, "Bytes in the database": bytes, "Lines in the log": lines };
  };
  const before = await read();
  const { count } = await load.run([server.port], { message, status: 201 }, plan.loadMs);
  await server.stop();
  const after = await read();
  rmSync(folder, { recursive: true });
  return Object.keys(before).map((title) => {
    const [from, to] = [before, after].map((values) => values[title as keyof typeof values]);
    return {
      of: "creations",
      title,
      points: [
        { size: 0, value: from ?? 0 },
        { size: count, value: to ?? 0 },
      ],
    };
  });
}
