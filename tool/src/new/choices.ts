// Only data: the help needs it, and reading requests loads much more.

import { frameworks } from "../../../backend/src/frameworks/names.ts";

export { frameworks };
export const databases = ["both", "sqlite", "postgres"] as const;
/** The values of `--with`. */
export const simpleFeatures = ["auth", "cors", "item-routes"] as const;
export const features = [...simpleFeatures, "webhooks"] as const;
/** The sources of webhooks. */
export const sources = ["github", "stripe", "standard", "slack"] as const;
/** Where a project's Node 26 comes from: the machine, or npm. */
export const nodes = ["system", "pinned"] as const;

export const fieldExamples = [
  "name:string(1..200)",
  "price:number(min=0)?",
  "count:integer(0..100)",
  "live:boolean=true",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
  "sizes:integer[]",
  "day:date",
  "key:uuid unique",
  "contact:email",
  "website:url",
  "more:json",
  "orderId:ref(orders)",
];

export const resourceExample = "orders: quantity:integer(1..), note:string(..500)?";
