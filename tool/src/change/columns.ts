import { createExample } from "../../../backend/kit/openapi/example.ts";
import {
  describeType,
  sqliteTypes,
  sqlTypes,
  type TableColumn,
  toTableColumns,
} from "../../../backend/src/core/store/store.ts";
import { buildField } from "../new/builders.ts";
import type { Field } from "../new/field-types.ts";
import { describeFields } from "../new/print/openapi.ts";
import { convertValues, type Database } from "./values.ts";

const types = { sqlite: sqliteTypes, postgres: sqlTypes };

/** The column of a field in a database. */
function toColumn(database: Database, field: Field): TableColumn {
  const [column] = toTableColumns({ [field.name]: buildField(field).column }, types[database]);
  return column as TableColumn;
}

/** The column of a field, in words. */
export function describeColumn(field: Field): string {
  const column = describeType(toColumn("postgres", field));
  return `${column}${field.isUnique ? " UNIQUE" : ""}${field.type === "ref" ? ` REFERENCES "${field.to}"` : ""}`;
}

export const isRequired = (field: Field) => toColumn("postgres", field).isRequired;

const findTarget = (field: Field) => (field.type === "ref" ? field.to : undefined);

/** Whether each value is another one, or has to refer to another table. */
export const isOtherType = (is: Field, must: Field) =>
  toColumn("postgres", is).sqlType !== toColumn("postgres", must).sqlType ||
  (must.type === "ref" && findTarget(is) !== must.to);

/** Whether a start would refuse the column, or keep a rule that the new code does not know. */
export const isOtherColumn = (is: Field, must: Field) =>
  isOtherType(is, must) ||
  isRequired(is) !== isRequired(must) ||
  Boolean(is.isUnique && !must.isUnique) ||
  findTarget(is) !== findTarget(must);

/** Adds a column that rows already there have a value in: that of the field, which only its owner knows for a reference. */
export function addColumn(database: Database, table: string, field: Field): string[] {
  const { name, isUnique } = field;
  const target = findTarget(field);
  const hint = isOwn(field) ? [printHint(table, name)] : [];
  const unique = isUnique ? [addUnique(database, table, name)] : [];
  if (database === "sqlite" || target === undefined)
    return [printAddColumn(database, table, name, field, target), ...hint, ...unique];
  return [
    `ALTER TABLE "${table}" ADD COLUMN "${name}" ${toColumn(database, field).sqlType};`,
    ...hint,
    `ALTER TABLE "${table}" ALTER COLUMN "${name}" SET NOT NULL;`,
    ...addReference(table, name, target),
  ];
}

/** Whether several rows cannot get the same value, made up by us. */
export const isOwn = ({ type, isUnique }: Field) => type === "ref" || isUnique;

const printHint = (table: string, name: string, where = "") => `-- UPDATE "${table}" SET "${name}" = …${where};`;

/** Changes a column, and its values with it. */
export function changeColumn(database: Database, table: string, is: Field, must: Field): string[] {
  const steps = database === "sqlite" ? replaceColumn : alterColumn;
  const hint =
    isOwn(must) && !isRequired(is) && isRequired(must) ? [printHint(table, must.name, " WHERE … IS NULL")] : [];
  return [...hint, ...steps(table, is, must, findTarget(must))];
}

/** Gives rows without a value one, in transactions of some rows each. PostgreSQL only. */
export function fillInParts(table: string, field: Field): string[] {
  const [name, value] = [`"${field.name}"`, printLiteral("postgres", field)];
  return [
    "DO $$ DECLARE first bigint := 0; BEGIN",
    `  WHILE first <= (SELECT max(insert_order) FROM "${table}") LOOP`,
    `    UPDATE "${table}" SET ${name} = ${value} WHERE ${name} IS NULL AND insert_order BETWEEN first AND first + 9999;`,
    "    COMMIT;",
    "    first := first + 10000;",
    "  END LOOP;",
    "END $$;",
  ];
}

/** Lets a column stay that the new code does not know: rows need no value in it, and it refers to nothing. */
export function leaveColumn(database: Database, table: string, field: Field): string[] {
  const { default: _, ...rest } = field;
  const steps = database === "sqlite" ? replaceColumn : alterColumn;
  return steps(table, field, { ...rest, isOptional: true } as Field, undefined);
}

/** Gives a column another name, if it is there. SQLite cannot ask whether it is. */
export function renameColumn(database: Database, table: string, name: string, to: string): string[] {
  const rename = `ALTER TABLE "${table}" RENAME COLUMN "${name}" TO "${to}";`;
  if (database === "sqlite") return [...dropIndexes(table, { name, isUnique: true, type: "ref" }), rename];
  const isThere = `EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('"${table}"') AND attname = '${name}')`;
  return printIf(isThere, rename);
}

/** SQLite does not drop a column that has an index; a start makes those again that it needs. */
export function dropIndexes(table: string, { name, isUnique, type }: Pick<Field, "name" | "isUnique" | "type">) {
  const indexes = [
    ...(isUnique ? [`${table}_${name}`] : []),
    ...(type === "ref" ? [`${table}_${name}_reference`] : []),
  ];
  return indexes.map((index) => `DROP INDEX IF EXISTS "${index}";`);
}

/** SQLite cannot change a column, so it gets a new one, which is then renamed. */
function replaceColumn(table: string, is: Field, must: Field, target: string | undefined): string[] {
  const { name } = must;
  const { value, isKept } = isOtherType(is, must)
    ? convertValues("sqlite", is, must)
    : { value: `"${name}"`, isKept: undefined };
  const refuse = [
    `CREATE TEMP TRIGGER refuse BEFORE UPDATE ON "${table}"`,
    `BEGIN SELECT RAISE(ABORT, '${explainLost(table, is, must)}'); END;`,
    `UPDATE "${table}" SET "${name}" = "${name}" WHERE "${name}" IS NOT NULL AND (${isKept}) IS NOT TRUE;`,
    "DROP TRIGGER refuse;",
  ];
  return [
    ...(isKept === undefined ? [] : refuse),
    ...dropIndexes(table, is),
    printAddColumn("sqlite", table, `${name}_new`, must, target),
    `UPDATE "${table}" SET "${name}_new" = ${value} WHERE "${name}" IS NOT NULL;`,
    `ALTER TABLE "${table}" DROP COLUMN "${name}";`,
    `ALTER TABLE "${table}" RENAME COLUMN "${name}_new" TO "${name}";`,
    ...(must.isUnique ? [addUnique("sqlite", table, name)] : []),
  ];
}

function alterColumn(table: string, is: Field, must: Field, target: string | undefined): string[] {
  const { name } = must;
  const [on, column] = [`ALTER TABLE "${table}"`, `ALTER COLUMN "${name}"`];
  const value = isRequired(must) && must.type !== "ref" ? printLiteral("postgres", must) : undefined;
  const isNew = findTarget(is) !== target;
  const becomesRequired = !isRequired(is) && isRequired(must);
  return [
    ...(isOtherType(is, must) ? refuseLost(table, is, must) : []),
    ...(isNew && findTarget(is) !== undefined ? [dropConstraints(table, name, "fkey")] : []),
    ...(is.isUnique && !must.isUnique ? [dropConstraints(table, name, "key", "idx")] : []),
    ...(isOtherType(is, must)
      ? [
          `${on} ${column} DROP DEFAULT, ${column} TYPE ${toColumn("postgres", must).sqlType} USING ${convertValues("postgres", is, must).value};`,
          ...(value === undefined ? [] : [`${on} ${column} SET DEFAULT ${value};`]),
        ]
      : []),
    // A default would stay in rows of code that does not know the column.
    ...(isRequired(is) && !isRequired(must) ? [`${on} ${column} SET DEFAULT NULL, ${column} DROP NOT NULL;`] : []),
    ...(becomesRequired
      ? [
          // A release that is still running could leave it out in between.
          `LOCK TABLE "${table}" IN SHARE ROW EXCLUSIVE MODE;`,
          ...(value === undefined ? [] : [`UPDATE "${table}" SET "${name}" = ${value} WHERE "${name}" IS NULL;`]),
          `${on} ${column} SET NOT NULL;`,
          ...(must.isUnique && !is.isUnique ? [addUnique("postgres", table, name)] : []),
        ]
      : []),
    ...(isNew && target !== undefined ? addReference(table, name, target) : []),
  ];
}

/** Nobody writes between the question and the change. */
function refuseLost(table: string, is: Field, must: Field): string[] {
  const { isKept } = convertValues("postgres", is, must);
  if (isKept === undefined) return [];
  const isLost = `EXISTS (SELECT FROM "${table}" WHERE "${is.name}" IS NOT NULL AND (${isKept}) IS NOT TRUE)`;
  return [`LOCK TABLE "${table}";`, ...printIf(isLost, `RAISE EXCEPTION '${explainLost(table, is, must)}';`)];
}

const printIf = (condition: string, statement: string) => [
  "DO $$ BEGIN",
  `  IF ${condition} THEN`,
  `    ${statement}`,
  "  END IF;",
  "END $$;",
];

function explainLost(table: string, { name }: Field, must: Field): string {
  const kind = must.type === "ref" ? `an id of "${must.to}"` : must.type;
  return `"${name}" of "${table}" has a value that cannot be kept as ${kind}; change such values first`;
}

/** The table may be a new one, which the start makes after the migrations; then it adds the reference, too. */
const addReference = (table: string, name: string, to: string) =>
  printIf(
    `to_regclass('"${to}"') IS NOT NULL`,
    `ALTER TABLE "${table}" ADD FOREIGN KEY ("${name}") REFERENCES "${to}" (id);`,
  );

/** As a start makes it. */
const addUnique = (database: Database, table: string, name: string) =>
  database === "sqlite"
    ? `CREATE UNIQUE INDEX "${table}_${name}" ON "${table}" ("${name}");`
    : `ALTER TABLE "${table}" ADD UNIQUE ("${name}");`;

function dropConstraints(table: string, name: string, ...kinds: string[]): string {
  const drops = kinds.map((kind) => `DROP CONSTRAINT IF EXISTS "${nameConstraint(table, name, kind)}"`);
  return `ALTER TABLE "${table}" ${drops.join(", ")};`;
}

/** As PostgreSQL names it: where that is too long, the longer of both names is cut. */
function nameConstraint(table: string, name: string, kind: string): string {
  const room = 63 - kind.length - 2;
  let [first, second] = [table.length, name.length];
  while (first + second > room)
    if (first > second) first--;
    else second--;
  return `${table.slice(0, first)}_${name.slice(0, second)}_${kind}`;
}

function printAddColumn(database: Database, table: string, name: string, field: Field, target?: string): string {
  const { sqlType, isRequired } = toColumn(database, field);
  // An empty text is no id: what is still there at the end refers to nothing, and is refused.
  const value = target === undefined ? printLiteral(database, field) : "''";
  const rest = isRequired ? ` NOT NULL DEFAULT ${value}` : "";
  // SQLite accepts a foreign key only when a column is created.
  const key = target !== undefined && database === "sqlite" ? ` REFERENCES "${target}" (id)` : "";
  return `ALTER TABLE "${table}" ADD COLUMN "${name}" ${sqlType}${rest}${key};`;
}

/** Its default, or a value that the field accepts. */
export function printLiteral(database: Database, field: Field): string {
  const value = field.default ?? (createExample(describeFields([field])) as Record<string, unknown>)[field.name];
  if (typeof value === "boolean") return database === "sqlite" ? String(Number(value)) : String(value);
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}
