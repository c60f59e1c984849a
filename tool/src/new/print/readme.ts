import { createExample } from "../../../../backend/kit/openapi/example.ts";
import { databaseDescriptions, frameworkDescriptions } from "../descriptions.ts";
import { writeField } from "../field.ts";
import type { Field } from "../field-types.ts";
import { toNames } from "../names.ts";
import type { Feature, Request } from "../request.ts";
import type { Resource } from "../resource.ts";
import { printEnv } from "./env.ts";
import { printGuide } from "./guide/index.ts";
import { printItemRoutes } from "./item-routes.ts";
import { describeFields } from "./openapi.ts";
import { printTable } from "./table.ts";
import { printWebhooks } from "./webhooks.ts";

/** What `npm start` needs on PostgreSQL, except in an application, which starts its own. */
export const exportUrl = "export DATABASE_URL=postgres://user:password@localhost:5432/database";

/** Owners rewrite it, so nothing in it depends on the request: a later change would conflict with theirs. */
const introduction = "A JSON API: its routes, its database, its tests and its container image.";

/** The text of the project's README. */
export function printReadme(request: Request): string {
  const { name, application, framework, fields, resources, database, features, node } = request;
  const isGuarded = features.includes("auth");
  const names = resources.map((resource) => toNames(resource.name));
  const token = isGuarded ? ' -H "Authorization: Bearer $TOKEN"' : "";
  return `# ${name}

${introduction}

## Start

\`\`\`sh
${printStart(request)}
\`\`\`

\`\`\`sh
${isGuarded ? `. ${application === undefined ? "./" : "../"}.env && TOKEN=\${API_TOKENS%%,*} && TOKEN=\${TOKEN##*:}\n` : ""}curl localhost:3000/health
curl localhost:3000/items${token}
curl localhost:3000/items${token} -H 'Content-Type: application/json' -d '${JSON.stringify(createItem(fields))}'
\`\`\`

\`npm test\` checks it against its contract${database === "sqlite" ? "" : ", on a real PostgreSQL from npm"}; \`npm run dev\` restarts it at every change;
\`npm run check\` checks format, lint and types. ${node === "pinned" ? "Node 20 or later is enough: the project includes its own Node 26." : "It needs Node 26."}

## What it answers

It is written in ${frameworkDescriptions[framework].title}, and keeps its ${joinWords(["items", ...names.map(({ words }) => words)])} in ${databaseDescriptions[database].title}.${application === undefined ? "" : ` It is a service of [${application}](../README.md).`}

${printRoutes(request)}

Every failure is \`application/problem+json\` (RFC 9457), with a stable \`code\` and, for an invalid item, every fault in
\`errors\`.${isAny(request, ({ isUnique }) => isUnique) ? " A `unique` value that another item has is 409 `conflict`." : ""} \`Idempotency-Key\` makes a retry of \`POST /items\` safe. On \`SIGTERM\` the server finishes all answers before it stops.

An item has these fields; \`openapi.json\` describes them and the routes for programs:

${fields.map((field) => `- ${describeField(field)}\n`).join("")}
${resources.map(printFields).join("")}To change them, edit \`src/items/item.ts\`${names.map(({ plural, singular }) => ` or \`src/${plural}/${singular}.ts\``).join("")}, then run \`npm run openapi\`. At startup, a new field gets its column if it is optional or has
a default, or if there are no items. Any other change to a table in use is refused at startup until a migration makes it.

## Migrations

${printMigrations(request)}

${printGuide(request)}${features.map((feature) => paragraphs[feature](request)).join("")}## Configuration

From environment variables, or \`.env\`: [.env.example](.env.example) lists them.${database === "sqlite" ? " The data is in `./data`." : ""}${application === undefined ? (hasEnv(request) ? made : "") : "\n`npm start` of the application passes the variables in `../dory.json` and `../.env`."}

${ownSettings}${application === undefined ? `\n${printContainer(request)}` : ""}`;
}

const ownSettings = `Your own are read in \`src/config.ts\`, below those of the core, and are in the \`config\` that the app gets:

\`\`\`ts
    ...coreSettings(read, features),
    maxOrders: read("MAX_ORDERS", "100", integer(1)),
\`\`\`

With \`undefined\` in place of \`"100"\` the variable is required. \`String\` takes any text; \`integer\`, \`oneOf\` and \`url\` are in \`src/core/environment.ts\`.
`;

function printMigrations({ database }: Request): string {
  const names =
    database === "both" ? "`0001-what.sqlite.sql` and `0001-what.postgres.sql`" : `\`0001-what.${database}.sql\``;
  const outside =
    "A file whose first line is `-- no transaction` has one statement that cannot run in one, like `CREATE INDEX CONCURRENTLY`.";
  return `A change that needs a decision is SQL in \`migrations/\`: ${names}, then \`0002-…\`. \`dory add\`, \`remove\` and \`change\` write such files; others are yours.
At startup, those that the database does not have yet are applied once, in order, each in a transaction, before new tables and optional columns are made.
A new database gets its tables from the code: there, files that change those tables are only recorded. The others run after that, so keep tables, indexes and columns of your own in files of their own.
Never change or remove an applied file: a start would refuse that.
\`npm run migrate -- --plan\` lists them, and \`npm run migrate\` applies them; with \`MIGRATE=off\` a start does not.${database === "sqlite" ? "" : ` ${outside}`}`;
}

function printStart({ name, application, database }: Request): string {
  if (application !== undefined) return `cd .. && npm start ${name}         # http://localhost:3000`;
  return `npm install\n${database === "postgres" ? `${exportUrl}\n` : ""}npm start         # http://localhost:3000`;
}

function printContainer(request: Request): string {
  const { name, database } = request;
  return `## Container

\`\`\`sh
docker build -t ${name} .
docker run -p 3000:3000 ${hasEnv(request) ? "--env-file .env " : ""}${run[database]}${name}
\`\`\`
`;
}

const run: Record<Request["database"], string> = {
  sqlite: "-v items:/app/data ",
  postgres: "-e DATABASE_URL ",
  both: "-v items:/app/data ",
};

function describeField(field: Field): string {
  return `\`${field.name}\`: \`${writeField(field).slice(field.name.length + 1)}\`${field.isOptional ? ", optional" : ""}`;
}

/** An example item; the reader fills in references. */
function createItem(fields: Field[]): object {
  const references = fields.flatMap((field) =>
    field.type === "ref" ? [[field.name, `the id of one of the ${field.to}`]] : [],
  );
  return { ...(createExample(describeFields(fields)) as object), ...Object.fromEntries(references) };
}

function isAny({ fields, resources }: Request, holds: (field: Field) => boolean | undefined): boolean {
  return [...fields, ...resources.flatMap((resource) => resource.fields)].some(holds);
}

function printFields({ name, fields }: Resource): string {
  const { words } = toNames(name);
  return `Each of the ${words} has these fields:\n\n${fields.map((field) => `- ${describeField(field)}\n`).join("")}\n`;
}

/** Words as in a sentence. */
function joinWords(words: string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " and $1");
}

/** Whether a first `.env` was made. */
const hasEnv = (request: Request) => printEnv(request, () => "") !== "";

const made = `
A first \`.env\` was made with the project. It is never committed and not part of the image: make another one on other machines.`;

/** The routes, in columns. */
function printRoutes({ resources, features, webhooks }: Request): string {
  const page = '200 `{"items":[…],"nextCursor":"…"}`, newest first; `?limit=` 1 to 100, `?cursor=`';
  const rows = [
    ["Route", "Success"],
    ["`GET /health`", '200 `{"status":"ok"}`'],
    ["`GET /items`", page],
    ["`POST /items`", "201, the item: `id`, the fields that were sent, `createdAt`"],
    ...(features.includes("item-routes") ? itemRows : []),
    ...resources.flatMap(({ name }) => [
      [`\`GET /${name}\``, "as for items"],
      [`\`POST /${name}\``, "as for items"],
      ...(features.includes("item-routes") ? [[`\`/${name}/{id}\``, "as for items"]] : []),
    ]),
    ...webhooks.map((source) => [`\`POST /webhooks/${source}\``, "202, once the event is durable"]),
  ];
  return printTable(rows);
}

const itemRows = [
  ["`GET /items/{id}`", "200, the item; 304 if `If-None-Match` has its `ETag`"],
  ["`PUT /items/{id}`", "200, the item with all its fields replaced; with `If-Match`"],
  ["`PATCH /items/{id}`", "200, the item after a JSON merge patch; with `If-Match`"],
  ["`DELETE /items/{id}`", "204; with `If-Match`"],
];

/** The only mention of a feature that was not asked for: with tokens, packages cannot replace it. */
export const corsHint =
  "Browsers send no token with a CORS preflight, so it does not reach a CORS package: run `npx dory add cors` instead of installing one.";

const paragraphs: Record<Feature, (request: Request) => string> = {
  auth: ({ features }) => `## Tokens

Every route except \`/health\` and those declared public requires \`Authorization: Bearer\` and one of the tokens in
\`API_TOKENS\`. Otherwise the answer is 401, also if there is no such route. A token has at least 32 characters: \`openssl rand -hex 32\` makes one. To replace one, keep both valid for a while:
\`API_TOKENS=new,old\`. A token may have a name, which the log then shows: \`API_TOKENS=app:…,jobs:…\`. An \`Idempotency-Key\` belongs to the token that it was sent with: a retry needs both.${features.includes("cors") ? "" : `\n${corsHint}`}

`,
  cors: () => `## Front ends on other origins

Pages from the origins in \`CORS_ORIGINS\` may use the API from a browser; pages from anywhere else cannot read its answers.
An origin is compared exactly, as browsers send it: \`https://app.example.com\`, without a path, several separated by commas.
Cookies are not allowed, and there is no \`*\`.

`,
  "item-routes": printItemRoutes,
  webhooks: printWebhooks,
};
