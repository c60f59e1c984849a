import type { Field } from "../new/field-types.ts";
import type { Request } from "../new/request.ts";
import {
  addColumn,
  changeColumn,
  describeColumn,
  dropIndexes,
  fillInParts,
  isOtherColumn,
  isOtherType,
  isOwn,
  isRequired,
  leaveColumn,
  printLiteral,
  renameColumn,
} from "./columns.ts";
import type { Database } from "./values.ts";

/** What a database needs for a change: an explanation, and SQL if the backend does not do it at startup. */
export interface Migration {
  text: string;
  sql: Partial<Record<Database, string[]>>;
  /** The SQL loses data that an older release may need, so it is only a comment. */
  isLeftToOwner?: boolean;
  /** It is a file of its own, before the others, because its statement ends transactions. */
  isAlone?: boolean;
}

/** The name for a column that an earlier migration left under the name of a new field; undefined if there is none. */
export type FindLeft = (database: Database, table: string, name: string) => string | undefined;

/** The migrations for a database in use. At startup, the backend adds new tables and optional columns itself. */
export function planMigrations(before: Request, after: Request, findLeft: FindLeft = () => undefined): Migration[] {
  const tables = new Map(listTables(before));
  // A database that the project did not have is new.
  const databases = listDatabases(after).filter((database) => listDatabases(before).includes(database));
  return [
    ...listTables(after).flatMap(([table, fields]) => {
      const old = tables.get(table);
      return old ? planColumns(table, old, fields, databases, findLeft) : [];
    }),
    ...freeTables(before, after, databases),
    ...dropTables(before, after, databases),
  ];
}

/** A removed service leaves its schema. */
export function dropSchema(name: string): string[] {
  return [
    `The schema "${name}" stays in PostgreSQL, with its data. To drop it, after the old code has stopped:`,
    `  DROP SCHEMA "${name}" CASCADE;`,
  ];
}

/** The migrations of each file. */
export function groupMigrations(migrations: Migration[]): Migration[][] {
  const alone = migrations.filter(({ isAlone }) => isAlone).map((one) => [one]);
  return [...alone, migrations.filter(({ isAlone }) => !isAlone)].filter((group) => group.length > 0);
}

/** The text of the file for a database; undefined if it needs none. */
export function printMigrationFile(migrations: Migration[], database: Database): string | undefined {
  const needed = migrations.filter(({ sql }) => sql[database]);
  const parts = needed.map(({ text, sql, isLeftToOwner, isAlone }) => {
    const lines = sql[database] ?? [];
    return [
      ...(isAlone && lines.length > 0 ? ["-- no transaction"] : []),
      ...wrap(text),
      ...(isLeftToOwner ? lines.map((line) => `-- ${line}`) : lines),
    ]
      .map((line) => `${line}\n`)
      .join("");
  });
  return parts.length > 0 ? parts.join("\n") : undefined;
}

/** Lines of a comment. */
function wrap(text: string): string[] {
  return (text.match(/.{1,100}(?: |$)/g) ?? []).map((line) => `-- ${line.trimEnd()}`);
}

/** The tables of a project and their fields. */
function listTables({ fields, resources }: Request): [table: string, fields: Field[]][] {
  return [["items", fields], ...resources.map(({ name, fields }): [string, Field[]] => [name, fields])];
}

const listDatabases = ({ database }: Request): Database[] =>
  database === "both" ? ["sqlite", "postgres"] : [database];

function planColumns(
  table: string,
  before: Field[],
  after: Field[],
  databases: Database[],
  findLeft: FindLeft,
): Migration[] {
  const find = (fields: Field[], name: string) => fields.find((field) => field.name === name);
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((name) => {
    const [is, must] = [find(before, name), find(after, name)];
    if (is && must) return isOtherColumn(is, must) ? planChange(table, is, must, databases) : [];
    if (is) return planRemoval(table, is, databases);
    return must ? planAddition(table, must, databases, findLeft) : [];
  });
}

/** A start adds a column that is optional or has a default itself, unless there is one already. */
function planAddition(table: string, field: Field, databases: Database[], findLeft: FindLeft): Migration[] {
  const { name } = field;
  const left = databases.map((database) => findLeft(database, table, name)).find((one) => one !== undefined);
  if ((!isRequired(field) || field.default !== undefined) && left === undefined) return [];
  const rename = (database: Database) => {
    const to = findLeft(database, table, name);
    return to === undefined ? [] : renameColumn(database, table, name, to);
  };
  return [
    {
      text: [
        ...(left === undefined ? [] : [explainLeft(table, name, left)]),
        ...(isRequired(field) ? [`"${name}" of "${table}" is new and required.`, explainAdded(field)] : []),
      ].join(" "),
      sql: forEach(databases, (database) => [
        ...rename(database),
        ...(isRequired(field) ? addColumn(database, table, field) : []),
      ]),
    },
  ];
}

const explainLeft = (table: string, name: string, to: string) =>
  `"${table}" still has a column "${name}" of a field that was removed. It becomes "${to}", with its values: use them here, or drop it. An SQLite file that was made without it makes this fail: run ALTER TABLE "${table}" ADD COLUMN "${name}"; there first.`;

const explainWait =
  "Others wait while rows are written here: for a large table, rather add the field as an optional one, write its values in parts, and make it required in a later release.";

function explainAdded(field: Field): string {
  if (field.type === "ref")
    return `Only you know which of the "${field.to}" each row refers to that is already there: set it here, or this fails if there are rows. ${explainWait}`;
  const rest = field.isUnique
    ? ` Each needs its own, so with several rows this fails until you set it here. ${explainWait}`
    : "";
  return `Rows that are already there get this value: change it if another one is right for them.${rest}`;
}

/** The column stays: an older release may still run, and data is not dropped without a decision. */
function planRemoval(table: string, field: Field, databases: Database[]): Migration[] {
  const { name, type } = field;
  const rules = [
    ...(isRequired(field) ? ["be required"] : []),
    ...(type === "ref" ? [`refer to "${field.to}", which could not be deleted then`] : []),
  ];
  const drop = `ALTER TABLE "${table}" DROP COLUMN "${name}";`;
  const left: Migration = {
    text: `Nothing uses "${name}" of "${table}" any more. To drop it with its values, once no older release runs, use this here or in another migration:`,
    sql: forEach(databases, (database) => [...(database === "sqlite" ? dropIndexes(table, field) : []), drop]),
    isLeftToOwner: true,
  };
  if (rules.length === 0) return [left];
  const relax: Migration = {
    text: `The new code does not set "${name}" of "${table}", so it must not ${rules.join(" or ")}. Its values stay.`,
    sql: forEach(databases, (database) => leaveColumn(database, table, field)),
  };
  return [relax, left];
}

function planChange(table: string, is: Field, must: Field, databases: Database[]): Migration[] {
  const becomesRequired = isRequired(must) && !isRequired(is);
  const isFilled = becomesRequired && !isOtherType(is, must) && !isOwn(must) && databases.includes("postgres");
  const change: Migration = {
    text: [
      `"${is.name}" of "${table}" is ${describeColumn(is)} and must be ${describeColumn(must)}.`,
      ...(isOtherType(is, must) ? [explainType] : []),
      ...(becomesRequired ? [explainRequired(must)] : []),
    ].join(" "),
    sql: forEach(databases, (database) => changeColumn(database, table, is, must)),
  };
  return isFilled ? [planFill(table, must, databases), change] : [change];
}

/** A single statement would lock all these rows until its end. */
function planFill(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  return {
    text: `"${name}" of "${table}" will be required. Rows without it get ${printLiteral("postgres", field)}: change that here and in the next file if another value is right for them. In PostgreSQL this is done in parts, so that nobody waits for all of it.`,
    sql: forEach(databases, (database) => (database === "postgres" ? fillInParts(table, field) : [])),
    isAlone: true,
  };
}

const explainType =
  "Every value is kept exactly; one that cannot be makes this fail, and nothing is changed. All rows are written again, and others wait meanwhile: for a large table, rather add a field of another name, copy the values in parts, and remove this one in a later release.";

const explainOlder =
  "A release that may leave it out cannot add such rows after this: first publish one that always sets it.";

function explainRequired(field: Field): string {
  const { name, type, isUnique } = field;
  if (type === "ref") return `Rows without a value make this fail: set it here first. ${explainOlder}`;
  const value = `Rows without "${name}" get ${printLiteral("postgres", field)}`;
  if (isUnique)
    return `${value}. Each needs its own, so with several such rows this fails until you set it here first. ${explainOlder}`;
  return `${value}: change that if another value is right for them. ${explainOlder}`;
}

function forEach(databases: Database[], sql: (database: Database) => string[]): Migration["sql"] {
  return Object.fromEntries(databases.map((database) => [database, sql(database)]));
}

/** What rows of a removed table refer to can be deleted. */
function freeTables(before: Request, after: Request, databases: Database[]): Migration[] {
  const left = new Set(listTables(after).map(([table]) => table));
  const gone = listTables(before).filter(([table]) => !left.has(table));
  return gone.flatMap(([table, fields]) =>
    fields.flatMap((field) =>
      field.type === "ref" && left.has(field.to)
        ? {
            text: `Nothing uses the table "${table}" any more, so its rows must not refer to "${field.to}", which could not be deleted then. Their values stay.`,
            sql: forEach(databases, (database) => leaveColumn(database, table, field)),
          }
        : [],
    ),
  );
}

function dropTables(before: Request, after: Request, databases: Database[]): Migration[] {
  const left = new Set(listTables(after).map(([table]) => table));
  const gone = listTables(before).flatMap(([table]) => (left.has(table) ? [] : [table]));
  const listItemRouteTables = (request: Request) =>
    request.features.includes("item-routes")
      ? listTables(request).flatMap(([table]) => [`${table}_keys`, `${table}_deleted`])
      : [];
  gone.push(...listItemRouteTables(before).filter((table) => !listItemRouteTables(after).includes(table)));
  if (before.features.includes("webhooks") && !after.features.includes("webhooks")) gone.push("webhook_events");
  return gone.map(
    (table): Migration => ({
      text: `Nothing uses the table "${table}" any more. To drop it with its data, once no older release runs, use this here or in another migration:`,
      sql: forEach(databases, () => [`DROP TABLE "${table}";`]),
      isLeftToOwner: true,
    }),
  );
}

/** What is said about databases that the new code does not use. */
export function listLostDatabases(before: Request, after: Request): string[] {
  const lost = listDatabases(before).filter((database) => !listDatabases(after).includes(database));
  const titles = { sqlite: "an SQLite file", postgres: "PostgreSQL" };
  return lost.map((database) => `Data in ${titles[database]} is not copied, and the new code does not read it.`);
}
