import { isWholeMatrix } from "../../backend/test/support/matrix.ts";
import { databases, frameworks, type RequestInput, simpleFeatures, sources } from "../src/new/request.ts";

const allFields = [
  "name:string(1..200)",
  "price:number?",
  "count:integer(min=0)",
  "live:boolean",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
  "day:date?",
  "key:uuid",
  "contact:email?",
  "website:url",
  "more:json?",
  "sizes:integer[]?",
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

const listsOfAll = ["string", "number", "integer", "boolean", "timestamp", "date", "uuid", "email", "url"].map(
  (type, index) => `${type}s:${type}[]${index % 2 === 0 ? "" : "?"}`,
);

const withDefaults = [
  "live:boolean=true",
  "count:integer(0..9)=5",
  "price:number=-0.5",
  "kind:enum(a|b)=b",
  `note:string="it's \\"quoted\\", with more of \\"these\\", and so long that its line must be broken in two, both of them"`,
  "remark:string=a-text-that-is-so-long-that-it-gets-a-line-of-its-own-which-it-would-not-if-the-name-were-a-short-one-like-note",
  "day:date=2024-02-29",
  'tags:string[]=["a","b"]',
  "more:json={}",
  "name:string?",
];

const twoResources = [
  "orders: quantity:integer(1..), note:string(..500)?, sku:string(1..50) unique, contact:email? unique",
  "order-lines: orderId:ref(orders), itemId:ref(items)?, day:date, tags:string[]?, live:boolean=false, more:json=[]",
];

/** Declared in the reverse of the order in which they can be created. */
const linesFirst = ["order-lines: orderId:ref(orders)", "orders: note:string"];

const newsAndStories = [
  "news: code:string(2..2) unique, title:string",
  "stories: newsId:ref(news), itemId:ref(items)?",
];

/** Difficult names: irregular ones, words of JavaScript and of the code, and the longest allowed. */
const oddResources = [
  "news: code:string(2..2) unique, title:string",
  "classes: live:boolean",
  "tables: n:integer?",
  "bodies: n:integer",
  "pages: n:number",
  "routes: at:timestamp",
  "line-items: more:json",
  "abcdefghij-klmnopqrst-uvwxys: site:url",
];

export type Asked = RequestInput & { framework: string; database: string };

type Content = Pick<RequestInput, "features" | "fields" | "resources" | "webhooks">;

/** No feature, and each one alone. */
const alone: Content[] = [
  {},
  ...simpleFeatures.map((feature) => ({ features: [feature] })),
  { webhooks: [sources[0]] },
];

/** Every two features. */
const pairs: Content[] = [
  ...simpleFeatures.map((left) => ({ features: simpleFeatures.filter((feature) => feature !== left) })),
  ...simpleFeatures.map((feature, index) => ({ features: [feature], webhooks: [sources[index + 1] ?? ""] })),
];

/** All features with fields of every type, and with all webhooks; resources in both. */
const full: Content[] = [
  { features: [...simpleFeatures].reverse(), fields: allFields, resources: twoResources },
  { features: [...simpleFeatures], webhooks: [...sources], resources: oddResources },
];

/** Every framework with each of the full contents; the databases alternate. */
const inTurns: Asked[] = frameworks.flatMap((framework, turn) =>
  full.map((content, index) => {
    const database = databases[(turn + index) % databases.length] ?? "";
    return { framework, database, ...content };
  }),
);

const withOtherFields: Asked[] = [
  { framework: "hono", database: "both", fields: oddFields },
  { framework: "nest", database: "sqlite", fields: allFields },
  { framework: "koa", database: "postgres", fields: ["live:boolean"] },
  { framework: "express", database: "sqlite", fields: ["at:timestamp?"] },
  { framework: "fastify", database: "both", fields: listsOfAll },
  { framework: "elysia", database: "sqlite", fields: withDefaults },
  { framework: "nest", database: "postgres", fields: ["lineId:ref(order-lines)"], resources: linesFirst },
];

/** Every framework with little: each source alone, and nothing or one feature, in some framework and on some database. */
const withLittle: Asked[] = frameworks.map((framework, turn) => ({
  framework,
  database: databases[turn % databases.length] ?? "",
  ...alone[turn % alone.length],
  ...(turn % 2 === 0 && { webhooks: [sources[(turn / 2) % sources.length] ?? ""] }),
}));

const everywhere = (contents: Content[], chosen: readonly string[] = databases): Asked[] =>
  frameworks.flatMap((framework) =>
    chosen.flatMap((database) => contents.map((content) => ({ framework, database, ...content }))),
  );

/** Every framework with each feature alone and with every two, on one database, alternating; TEST_WHOLE_SUITE adds the other. */
export const combined: Asked[] = frameworks.flatMap((framework, turn) =>
  [...alone, ...pairs].flatMap((content, index) => {
    const inTurn = (turn + index) % 2 === 0 ? ["sqlite", "postgres"] : ["postgres", "sqlite"];
    const chosen = process.env["TEST_WHOLE_SUITE"] ? inTurn : inTurn.slice(0, 1);
    return chosen.map((database) => ({ framework, database, ...content }));
  }),
);

/** One of the full contents for each framework. */
const oneFull = inTurns.filter((_, index) => [0, 3].includes(index % 4));

const isNotIn = (others: Asked[]) => {
  const titles = new Set(others.map(printTitle));
  return (request: Asked) => !titles.has(printTitle(request));
};

/** The projects that are formatted, linted and type-checked. */
export const checked = isWholeMatrix
  ? [...everywhere(alone, ["both"]), ...everywhere(full).filter(isNotIn(oneFull)), ...withOtherFields, ...combined]
  : oneFull;

/** Those of them that are only started: the suite runs on the others. */
export const started = checked.filter(isNotIn(combined));

/** The projects that tests generate. */
export const requests = isWholeMatrix
  ? [...everywhere([...alone, ...pairs, ...full]), ...withLittle.filter(({ webhooks }) => webhooks)]
  : [...inTurns, ...withOtherFields, ...withLittle];

/** One for each framework: features, fields and databases alternate, databases in the repository's reverse order. */
export const oneForEach: Asked[] = [
  { database: "postgres", features: ["cors", "item-routes"], resources: twoResources },
  { database: "sqlite", features: ["auth", "item-routes"], fields: withDefaults },
  { database: "both" },
  { database: "sqlite", features: ["cors", "auth"], fields: allFields },
  { database: "postgres", features: ["cors"], fields: allFields, webhooks: ["github", "standard"] },
  { database: "sqlite", features: ["auth"], fields: oddFields },
  {
    database: "postgres",
    features: ["cors", "auth"],
    fields: ["at:timestamp?", "more:json", "newsId:ref(news)"],
    resources: ["news: code:string(2..2) unique"],
  },
  {
    database: "sqlite",
    features: ["item-routes"],
    fields: ["live:boolean"],
    webhooks: ["stripe", "slack"],
    resources: newsAndStories,
  },
].map((asked, index) => ({ framework: frameworks[index % frameworks.length] ?? "", ...asked }));

/** The projects whose own `npm test` runs, in a run of the whole matrix: a plain build, and one with decorators. */
export const testedByThemselves = oneForEach.filter(({ framework }) => framework === "koa" || framework === "nest");

export function printTitle({ framework, database, fields, resources, features, webhooks }: RequestInput): string {
  const withResources = resources ? `, with ${resources.length} more resources` : "";
  const withFields = fields ? `, with ${fields.length} other fields` : "";
  const withWebhooks = webhooks ? `, with webhooks from ${webhooks.join(" and ")}` : "";
  return `${framework} on ${database}${withFields}${withResources}${features ? `, with ${features.join(" and ")}` : ""}${withWebhooks}`;
}
