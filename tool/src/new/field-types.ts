/** One field of an item, as it was declared: `price:number(min=0)?`. */
export type Field = { name: string; isOptional: boolean; default?: Default; isUnique?: true } & (
  | { type: "string"; min?: number; max?: number }
  | { type: "number" | "integer"; min?: number; max?: number }
  | { type: PlainType }
  | { type: ListType }
  | { type: "enum"; values: string[] }
  /** The id of an item of another resource. */
  | { type: "ref"; to: string }
);

/** Types without bounds. */
const plainTypes = ["boolean", "timestamp", "date", "uuid", "email", "url", "json"] as const;
/** Types that a list can contain. */
const listedTypes = ["string", "number", "integer", "boolean", "timestamp", "date", "uuid", "email", "url"] as const;
const listTypes = listedTypes.map((type): ListType => `${type}[]`);

type PlainType = (typeof plainTypes)[number];
export type ListedType = (typeof listedTypes)[number];
export type ListType = `${ListedType}[]`;

export const fieldTypes = ["string", "number", "integer", "enum", "ref", ...plainTypes, ...listTypes] as const;

export type Type = (typeof fieldTypes)[number];

/** The value of a field that was not sent. */
export type Default = string | number | boolean | Default[] | Record<string, never>;
