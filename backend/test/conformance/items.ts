import { randomUUID } from "node:crypto";

export interface TextField {
  type: "string";
  minLength: number;
  maxLength: number;
}

/** What an item is, as a JSON schema tells it. */
export interface ItemSchema {
  properties: Record<string, TextField>;
  required: string[];
}

export const defaultItem: ItemSchema = {
  properties: { name: { type: "string", minLength: 1, maxLength: 200 } },
  required: ["name"],
};

/** A valid item, unlike any other. */
export function validItem({ properties }: ItemSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sample(field)]));
}

function sample({ minLength, maxLength }: TextField): string {
  return randomUUID().slice(0, maxLength).padEnd(minLength, "x");
}

/** Text that is often lost, changed or misread on its way into a database and back. */
export const oddTexts = [
  " leading and trailing \t\n ",
  "\u0001\u0002\b\f\r\n\t\u001f\u007f\u0080\u009f",
  "\"quotes\" 'single' `back` \\backslash\\ /slash/ \\u0041 \\n",
  "'; DROP TABLE items; --",
  "%s %d %n $name {{name}} $1 ? :name @name",
  "<script>alert(1)</script>&amp;&#0;",
  "null",
  "undefined",
  "NaN",
  "5",
  "1e309",
  "true",
  "[object Object]",
  "__proto__",
  "é \u00e9 e\u0301 \u212b \u00c5",
  "日本語 العربية עברית हिन्दी ไทย",
  "👩‍👩‍👧‍👦 🏳️‍🌈 \u{1f600}\u{10ffff}",
  "\u200b\u200c\u200d\u2060\ufeff\u00ad",
  "\u2028\u2029\u0085",
  "\u202e right to left \u202c",
  "\ufffd\ufffe\uffff\ufdd0",
  "ß ﬀ İ ı ǆ",
  "\ud83d\ude00".repeat(20),
];

/** JSON texts of strings that one of the two databases cannot keep. */
export const unstorableTexts = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff"',
  '"\\ud800\\ud800"',
  '"\\udc00\\ud800"',
  '"x\\ud83d"',
  '"\\ude00x"',
];
