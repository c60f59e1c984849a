import { features, frameworks, type RequestInput } from "../src/new/request.ts";

const allFields = [
  "name:string(1..200)",
  "price:number?",
  "count:integer(min=0)",
  "live:boolean",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
];

const oddFields = [
  "order:integer?",
  "group:string(..5)?",
  "select:enum(x|y)?",
  "constructor:string[]?",
  "toString:number(min=-1.5,max=2.5)",
  "rowid:string",
  "isOn:boolean?",
  "aVeryLongNameForAFieldThatBreaksItsLine:string(100..10000)?",
  "size:enum(extra-small|small|medium|large|extra-large|double-extra-large|triple-extra-large|one-size-fits-all)",
];

export type Asked = RequestInput & { framework: string; database: string };

/** In every framework: each database, each feature alone, all of them, and fields of every kind. */
const different: Asked[] = [
  ...frameworks.flatMap((framework) => [
    { framework, database: "both" },
    { framework, database: "sqlite", features: ["auth"] },
    { framework, database: "postgres", features: ["cors"] },
    { framework, database: "both", features: ["cors", "auth"], fields: allFields },
  ]),
  { framework: "hono", database: "both", fields: oddFields },
  { framework: "nest", database: "sqlite", fields: allFields },
  { framework: "koa", database: "postgres", fields: ["live:boolean"] },
  { framework: "express", database: "sqlite", fields: ["at:timestamp?"] },
];

/** These differ from those in what is cut, and not in what runs. */
const similar: Asked[] = frameworks.flatMap((framework) => [
  { framework, database: "sqlite" },
  { framework, database: "postgres" },
  ...features.map((feature) => ({ framework, database: "both", features: [feature] })),
]);

/** The projects that tests generate. */
export const requests = [...different, ...similar];

/** Those whose own tests are run, in a run of the whole matrix. */
export const testedByThemselves = different;

/** One for each framework: features and fields take turns, and databases too, the other way round than in the repository. */
export const oneForEach: Asked[] = [
  { database: "both" },
  { database: "sqlite", features: ["auth"], fields: oddFields },
  { database: "postgres", features: ["cors"] },
  { database: "sqlite", features: ["cors", "auth"], fields: allFields },
  { database: "postgres", features: ["cors"], fields: allFields },
  { database: "sqlite", features: ["auth"], fields: oddFields },
  { database: "postgres", features: ["cors", "auth"], fields: ["at:timestamp?"] },
  { database: "sqlite", fields: ["live:boolean"] },
].map((asked, index) => ({ framework: frameworks[index % frameworks.length] ?? "", ...asked }));

export function titleOf({ framework, database, fields, features }: RequestInput): string {
  const withFields = fields ? `, with ${fields.length} other fields` : "";
  return `${framework} on ${database}${withFields}${features ? `, with ${features.join(" and ")}` : ""}`;
}
