import type { ColumnType } from "../../../backend/src/core/fields/field.ts";
import { buildField } from "../new/builders.ts";
import type { Field } from "../new/field-types.ts";

export type Database = "sqlite" | "postgres";

/** What becomes of the values of a column whose type changes. */
export interface Conversion {
  /** The new value, in SQL. */
  value: string;
  /** The condition for values that are kept exactly; undefined if all are. */
  isKept: string | undefined;
}

/**
 * A new value is read back as what the old one was: 5 is the text "5", true the text "true" and the number 1; in JSON it is
 * itself, and in a list the only element. Values that have no such counterpart are not kept.
 */
export function convertValues(database: Database, is: Field, must: Field): Conversion {
  const dialect = dialects[database];
  const column = `"${is.name}"`;
  const found = isList(is) ? "json" : findType(is);
  const read = isList(is) ? dialect.readOnly(column) : { value: column, isKept: undefined };
  if (!isList(must) && findType(must) === "json") return { value: dialect.toJson(column, found), isKept: undefined };
  const type = findType(must);
  const target = must.type === "ref" ? must.to : "";
  const cast = type === found && type !== "id" ? keep : (dialect.casts[type][found] ?? loseAll);
  const { value, isKept } = cast(read.value, target);
  const conditions = [read.isKept, isKept].filter((condition) => condition !== undefined);
  return {
    value: isList(must) ? dialect.toList(value, type) : value,
    isKept: conditions.length > 0 ? conditions.join(" AND ") : undefined,
  };
}

const isList = ({ type }: Field) => type.endsWith("[]");

/** What a column holds, or each element of a list. */
function findType(field: Field): ColumnType {
  const type = isList(field) ? field.type.slice(0, -2) : field.type;
  return buildField({ ...field, type, default: undefined } as unknown as Field).column.type;
}

/** From SQL for a value to SQL for another one; for an id, `to` is the table that it is from. */
type Cast = (value: string, to: string) => Conversion;
type Casts = Record<ColumnType, Partial<Record<ColumnType, Cast>>>;

interface Dialect {
  casts: Casts;
  /** The only element of a list. */
  readOnly(list: string): Conversion;
  toList(value: string, type: ColumnType): string;
  toJson(value: string, type: ColumnType): string;
}

const cast =
  (value: (x: string) => string, isKept?: (x: string) => string): Cast =>
  (x) => ({ value: value(x), isKept: isKept?.(x) });
const keep = cast((x) => x);
const loseAll = cast(
  () => "NULL",
  () => "false",
);

/** The numbers that a whole number may be. */
const safe = Number.MAX_SAFE_INTEGER;
const isBit = (x: string) => `${x} IN (0, 1)`;
const isWord = (x: string) => `${x} IN ('true', 'false')`;
/** Only so long are all numbers written alike in both databases, and read back the same. */
const maxDigits = 15;

const textOfJson = (x: string) => `(${x} #>> '{}')`;
const isJson = (type: string) => (x: string) => `json_typeof(${x}) = '${type}'`;
const isSafe = (x: string) => `${x} = trunc(${x}) AND abs(${x}) <= ${safe}`;

const postgres: Dialect = {
  casts: {
    text: {
      number: cast(
        (x) => `CASE WHEN ${x} = trunc(${x}) AND abs(${x}) < 1e18 THEN ${x}::bigint::text ELSE ${x}::text END`,
        (x) => `(${x} = trunc(${x}) OR abs(${x}) < 1e15)`,
      ),
      integer: cast((x) => `${x}::text`),
      boolean: cast((x) => `${x}::text`),
      id: cast((x) => `${x}::text`),
      json: cast(textOfJson, isJson("string")),
    },
    number: {
      text: cast(
        (x) => `${x}::double precision`,
        (x) =>
          `CASE WHEN ${x} ~ '^-?[0-9]+([.][0-9]+)?$' AND length(${x}) <= ${maxDigits} AND ${x} <> '-0' THEN ${x}::double precision::text = ${x} END`,
      ),
      integer: cast((x) => `${x}::double precision`),
      boolean: cast((x) => `${x}::integer`),
      json: cast((x) => `${textOfJson(x)}::double precision`, isJson("number")),
    },
    integer: {
      text: cast(
        (x) => `${x}::bigint`,
        (x) => `CASE WHEN ${x} ~ '^(0|-?[1-9][0-9]{0,15})$' THEN abs(${x}::bigint) <= ${safe} END`,
      ),
      number: cast((x) => `${x}::bigint`, isSafe),
      boolean: cast((x) => `${x}::integer`),
      json: cast(
        (x) => `${textOfJson(x)}::numeric::bigint`,
        (x) => `CASE WHEN ${isJson("number")(x)} THEN ${isSafe(`${textOfJson(x)}::numeric`)} END`,
      ),
    },
    boolean: {
      text: cast((x) => `${x} = 'true'`, isWord),
      number: cast((x) => `${x} = 1`, isBit),
      integer: cast((x) => `${x} = 1`, isBit),
      json: cast((x) => `${textOfJson(x)} = 'true'`, isJson("boolean")),
    },
    id: {
      text: (x, to) => ({ value: `${x}::uuid`, isKept: isIdIn(to, x) }),
      id: (x, to) => ({ value: x, isKept: isIdIn(to, `${x}::text`) }),
      json: (x, to) => ({ value: `${textOfJson(x)}::uuid`, isKept: isIdIn(to, textOfJson(x)) }),
    },
    json: {},
  },
  readOnly: (list) => ({ value: `(${list} -> 0)`, isKept: `(${list} -> 0) IS NOT NULL AND (${list} -> 1) IS NULL` }),
  toList: (value) => `CASE WHEN ${value} IS NOT NULL THEN json_build_array(${value}) END`,
  toJson: (value) => `to_json(${value})`,
};

const isIdIn = (table: string, text: string) => `EXISTS (SELECT FROM "${table}" WHERE id::text = ${text})`;

const valueOfJson = (x: string) => `(${x} ->> '$')`;
const toWord = (x: string) => `iif(${x}, 'true', 'false')`;
const toInteger = (x: string) => `CAST(${x} AS integer)`;
const isWhole = (x: string) => `${x} = ${toInteger(x)} AND ${x} BETWEEN -${safe} AND ${safe}`;
const isEither =
  (...types: string[]) =>
  (x: string) =>
    `json_type(${x}) IN (${types.map((type) => `'${type}'`).join(", ")})`;

const sqlite: Dialect = {
  casts: {
    text: {
      number: cast(printShortest, (x) => `(${x} = ${toInteger(x)} OR abs(${x}) NOT BETWEEN 1e15 AND 1e16)`),
      integer: cast((x) => `CAST(${x} AS text)`),
      boolean: cast(toWord),
      id: keep,
      json: cast(valueOfJson, isEither("text")),
    },
    number: {
      text: cast(
        (x) => `CAST(${x} AS numeric)`,
        (x) =>
          `${x} NOT LIKE '%e%' AND length(${x}) <= ${maxDigits} AND format('%.${maxDigits}g', CAST(${x} AS numeric)) = ${x}`,
      ),
      integer: keep,
      boolean: keep,
      json: cast(valueOfJson, isEither("integer", "real")),
    },
    integer: {
      text: cast(
        toInteger,
        (x) => `CAST(${toInteger(x)} AS text) = ${x} AND ${toInteger(x)} BETWEEN -${safe} AND ${safe}`,
      ),
      number: cast(toInteger, isWhole),
      boolean: keep,
      json: cast(
        (x) => toInteger(valueOfJson(x)),
        (x) => `${isEither("integer", "real")(x)} AND ${isWhole(valueOfJson(x))}`,
      ),
    },
    boolean: {
      text: cast((x) => `${x} = 'true'`, isWord),
      number: cast((x) => x, isBit),
      integer: cast((x) => x, isBit),
      json: cast(valueOfJson, isEither("true", "false")),
    },
    id: {
      text: (x, to) => ({ value: x, isKept: `${x} IN (SELECT id FROM "${to}")` }),
      id: (x, to) => ({ value: x, isKept: `${x} IN (SELECT id FROM "${to}")` }),
      json: (x, to) => ({ value: valueOfJson(x), isKept: `${valueOfJson(x)} IN (SELECT id FROM "${to}")` }),
    },
    json: {},
  },
  readOnly: (list) => ({
    value: `(${list} -> '$[0]')`,
    isKept: `json_type(${list}) = 'array' AND json_array_length(${list}) = 1`,
  }),
  toList: (value, type) => `json_array(${type === "boolean" ? `json(${toWord(value)})` : value})`,
  toJson: (value, type) => (type === "boolean" ? toWord(value) : `json_quote(${value})`),
};

/** As PostgreSQL writes a number: with as few digits as are read back the same. Of 17 digits, the last may be another one. */
function printShortest(x: string): string {
  const print = (digits: number) => `format('%!.${digits}g', ${x})`;
  const tries = [15, 16].map((digits) => `WHEN CAST(${print(digits)} AS real) = ${x} THEN ${print(digits)} `);
  const whole = `WHEN ${x} = ${toInteger(x)} AND abs(${x}) < 1e18 THEN CAST(${toInteger(x)} AS text)`;
  return `replace(CASE ${whole} ${tries.join("")}ELSE ${print(17)} END, '.0e', 'e')`;
}

const dialects: Record<Database, Dialect> = { sqlite, postgres };
