import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartError } from "../problem.ts";

/** A file in `migrations/`: SQL that one database needs once. */
export interface Migration {
  number: number;
  /** `0001-what`, without the name of the database. */
  name: string;
  path: string;
  text: string;
  checksum: string;
  /** Its only statement, if it must run outside a transaction. */
  alone: string | undefined;
}

/** What the database knows about a migration that was applied. */
export interface Recorded {
  number: number;
  name: string;
  checksum: string;
  appliedAt: string;
}

/** In the project's folder; in production beside the bundle. */
const ownFolder = () => fileURLToPath(new URL("../../../migrations/", import.meta.url));

/** The table that records what was applied. */
export const record = "applied_migrations";

/** The migrations for a kind of database, in their order. Files that have no order are refused. */
export function readMigrations(database: string, folder = ownFolder()): Migration[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".sql")) : [];
  const all = files.sort().map((file) => {
    const [, name = "", kind] = /^(\d{4}-[a-z0-9][a-z0-9_-]*)\.([a-z]+)\.sql$/.exec(file) ?? [];
    if (!kind) throw new StartError(`migrations/${file}: name it like 0001-what.${database}.sql`);
    return { file, number: Number(name.slice(0, 4)), name, kind };
  });
  const own = all.filter(({ kind }) => kind === database);
  const last = all.at(-1)?.number ?? 0;
  refuseRepeated(own);
  refuseGaps(all, 1, last, "");
  // A database that a project has later begins with the next number.
  if (own[0]) refuseGaps(own, own[0].number, last + 1, ` for ${database}; it may be empty`);
  return own.map(({ file, number, name }) => {
    const path = `migrations/${file}`;
    // Git may write other line ends on another machine.
    const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n");
    const isAlone = /^-- no transaction *(\n|$)/.test(text);
    const statements = readStatements(text);
    if (isAlone && statements.length !== 1)
      throw new StartError(`${path}: what runs outside a transaction is one statement; this has ${statements.length}`);
    return {
      number,
      name,
      path,
      text,
      checksum: createHash("sha256").update(text).digest("hex"),
      alone: isAlone ? statements[0] : undefined,
    };
  });
}

function refuseRepeated(migrations: { number: number; name: string }[]): void {
  const index = migrations.findIndex(({ number }, index) => migrations[index - 1]?.number === number);
  const [one, other] = migrations.slice(Math.max(0, index - 1));
  if (index > 0)
    throw new StartError(`migrations: ${one?.name} and ${other?.name} have the same number; give one the next number`);
}

function refuseGaps(migrations: { number: number }[], first: number, last: number, rest: string): void {
  for (let number = first; number < last; number++)
    if (!migrations.some((one) => one.number === number))
      throw new StartError(`migrations: there is no ${String(number).padStart(4, "0")}${rest}`);
}

/** What is not applied yet. A database that knows other migrations is refused; newer ones are those of a newer release. */
export function findPending(migrations: Migration[], recorded: Recorded[]): Migration[] {
  const last = migrations.at(-1)?.number ?? 0;
  const newest = recorded.at(-1);
  for (const { number, name, checksum, appliedAt } of recorded) {
    const file = migrations.find((one) => one.number === number);
    if (number > last) continue;
    if (file?.name !== name)
      throw new StartError(`migrations: ${name} was applied to this database, but its file is missing; restore it`);
    if (file.checksum !== checksum)
      throw new StartError(
        `${file.path} was changed after it was applied (${appliedAt}); restore it, and write another`,
      );
  }
  const pending = migrations.filter(({ number }) => !recorded.some((one) => one.number === number));
  const late = pending.find(({ number }) => newest && number < newest.number);
  if (late && newest)
    throw new StartError(`${late.path} comes before ${newest.name}, which is applied; give it the next number`);
  return pending;
}

/**
 * Whether the tables are still to be made: then they are made as the code has them now, and the migrations are recorded only.
 * It has none of the tables that the code or a migration names.
 */
export function isNewDatabase(found: string[], wanted: string[], migrations: Migration[]): boolean {
  return !found.some((table) => wanted.includes(table) || migrations.some(({ text }) => text.includes(table)));
}

/** A line for each migration: what `npm run migrate` prints. */
export function listStates(migrations: Migration[], before: Recorded[], after: Recorded[]): string[] {
  const lines = migrations.map(({ number, name }) => {
    const now = after.find((one) => one.number === number);
    const isNew = !before.some((one) => one.number === number);
    return `${name}  ${now ? `applied ${isNew ? "now" : now.appliedAt}` : "pending"}`;
  });
  const last = migrations.at(-1)?.number ?? 0;
  const newer = after.filter(({ number }) => number > last).map(({ name }) => `${name}  applied by a newer release`);
  return lines.length + newer.length > 0 ? [...lines, ...newer] : ["There are no migrations."];
}

/** SQL that records migrations. */
export const insertAll = (migrations: Migration[]) =>
  migrations.map(
    ({ number, name, checksum }) =>
      `INSERT INTO ${record} (number, name, checksum) VALUES (${number}, '${name}', '${checksum}');`,
  );

/** Refuses a migration with one line. */
export function fail({ path }: Migration, where: string, reason: string): never {
  const how = /transaction block|within a transaction/.test(reason)
    ? "; write it alone in a file whose first line is: -- no transaction"
    : "";
  throw new StartError(`${path}${where}: ${reason.replaceAll("\n", " ")}${how}. Nothing of this file is applied.`);
}

/** The statements of SQL, without comments, and without what is in strings: only to recognise them. */
export function readStatements(sql: string): string[] {
  const quoted =
    /--[^\n]*|\/\*|\bE'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1/gi;
  let [plain, at] = ["", 0];
  for (let found = quoted.exec(sql); found; found = quoted.exec(sql)) {
    plain += sql.slice(at, found.index);
    if (found[0].startsWith('"')) plain += found[0].replaceAll(";", "_");
    else plain += /^(--|\/\*)/.test(found[0]) ? " " : "''";
    if (found[0] === "/*") quoted.lastIndex = findCommentEnd(sql, found.index);
    at = quoted.lastIndex;
  }
  const statements = (plain + sql.slice(at)).split(";").map((one) => one.trim().replaceAll(/\s+/g, " "));
  return statements.filter((statement) => statement !== "");
}

/** Not every database has comments within comments. */
function findCommentEnd(sql: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return start + index + 2;
  }
  const end = sql.indexOf("*/", start);
  return end < 0 ? sql.length : end + 2;
}

/** For the log. */
export function describeApplied({ name }: Migration, start: number): Record<string, unknown> {
  return { migration: name, ms: Math.round(performance.now() - start) };
}
