import { fieldExamples } from "../../choices.ts";
import { parseFields } from "../../field.ts";
import type { Field } from "../../field-types.ts";
import { type Names, toNames } from "../../names.ts";
import type { Request } from "../../request.ts";
import type { Resource } from "../../resource.ts";
import { appFile, mountsFile } from "../../slice/slice.ts";
import { listFieldFiles, printField } from "../resource.ts";
import { guide as elysia } from "./elysia.ts";
import { guide as express } from "./express.ts";
import { guide as fastify } from "./fastify.ts";
import { featureGuide } from "./feature.ts";
import type { Guide } from "./guide.ts";
import { guide as h3 } from "./h3.ts";
import { guide as hapi } from "./hapi.ts";
import { guide as hono } from "./hono.ts";
import { guide as koa } from "./koa.ts";
import { guide as nest } from "./nest.ts";
import { printSql } from "./sql.ts";

const guides: Record<Request["framework"], Guide> = { elysia, express, fastify, h3, hapi, hono, koa, nest };

/** The part of the README that explains how to add routes and resources. */
export function printGuide(request: Request): string {
  const { framework, features, fields, resources } = request;
  const { plural, singular, types } = unusedExample(resources);
  const all = [...fields, ...resources.flatMap((one) => one.fields)];
  const { route, everywhere, raw, declares, isPublic, caller, sockets, inTests } = guides[framework];
  return `## Adding a route

Write it as the framework's documentation says, for example in \`${route.file}\`:

\`\`\`ts
${route.code.trimEnd()}
\`\`\`
${route.module ? `\nwith a module in \`${route.module.file}\`:\n\n\`\`\`ts\n${route.module.code.trimEnd()}\n\`\`\`\n` : ""}
and mount it in \`src/${appFile(framework)}\`:

\`\`\`ts
${route.mount.trimEnd()}
\`\`\`

It automatically has what the other routes have:

- limits and timeouts, \`HEAD\`, \`OPTIONS\` and 405, a request id, its line in the log. An answer that has begun may stream for as long as its client takes bytes. When the backend stops, it waits for streams until \`SHUTDOWN_TIMEOUT_MS\`: end yours when \`parts.server\` emits \`close\`.
- every failure as a problem: ${framework === "hapi" ? "a Boom error" : "an error"} with a 4xx status or 503 keeps it, everything else is a 500 without details. For a code of your own: \`throw new Problem(["sold_out", 409], "There are no more boats.")\` from \`src/core/problem.ts\`.
- exact paths: \`/Hello\`, \`/hello/\` and \`/%68ello\` are other paths than \`/hello\`, and 404 unless a route has them.
- \`Cache-Control: no-store\`, unless a route sets that header; an empty value removes it.

Also good to know:

${raw.map((line) => `- ${line}`).join("\n")}${features.includes("auth") ? `\n\n${isPublic.trim()}\nA token may have a name (\`API_TOKENS=app:…\`): handlers find it in ${caller}, the log has it as \`caller\`.` : ""}

\`npm run openapi\` describes the route in \`openapi.json\`, from what it declares: ${declares}. It
adds nothing that it does not see; what you write there about a route stays. \`npm test\` fails while the app and the file
differ, and checks every operation in it against the rules above.

For WebSockets: ${sockets.trim()}

\`parts.server\` is an \`http.Server\` that never listens: it gets
requests and upgrades that have passed the checks of the server around it.${features.includes("auth") ? ' An upgrade needs a token at every path, also at that of a public route, except those in\n`parts.server.publicUpgrades = ["/chat"]`: browsers cannot send a token.' : ""} When the backend stops, \`parts.server\` emits \`close\`;
one second after the last answer, connections that are still open are closed.

Files that your code reads, like templates, belong in \`src\`: \`import.meta.dirname\` finds them, also in the image. The build copies packages
that need their own files to \`dist/node_modules\` by itself.

## Testing

Your own tests go into \`test/app.test.ts\`. \`serve()\` starts the app in the server around it, so that your tests see what clients see: \`ask(url, …)\` sends JSON${features.includes("auth") ? " with a token" : ""},
\`fetch\` exactly what you write${features.includes("auth") ? " (a token is `test-token-two-that-is-visibly-fake`)" : ""}. \`openApp(createApp)\` returns the app alone, without the server and its limits${features.includes("auth") && framework !== "hapi" ? ", so it asks for no token" : ""}: ${inTests}. Both are closed after the tests. \`test/contract.test.ts\` checks everything that is
described here; \`BASE_URL=http://localhost:3000 npm test\` checks a backend that runs already. The tools for that, and for the build, are one file in \`.dory\`, which \`dory update\` replaces. Commands for a part of the tests, and for a debugger:

\`\`\`sh
npm test -- test/app.test.ts                   # one file
npm test -- --test-name-pattern="is healthy"   # the tests with this name
npm test -- --inspect-brk test/app.test.ts     # one file, once a debugger is attached
\`\`\`

## Adding a resource

\`\`\`sh
npx dory add resource "${plural}: name:string(1..200)"
\`\`\`

It makes the folder \`src/${plural}\`, mounts its routes, describes them in \`openapi.json\`, and merges that with your changes. By hand, copy
\`src/items\`, change the names, mount it, and describe it:

\`\`\`sh
cp -r src/items src/${plural}
${framework === "nest" ? renameFiles(plural, singular) : `mv src/${plural}/item.ts src/${plural}/${singular}.ts\n`}perl -pi -e 's/items/${plural}/g; s/Items/${types[0]}/g; s/item${features.includes("item-routes") ? "(?!-routes)" : ""}/${singular}/g; s/Item/${types[1]}/g' src/${plural}/*.ts
\`\`\`

In \`src/${mountsFile(framework)}\`, repeat the lines of the items for \`${plural}\`, change the fields in \`src/${plural}/${singular}.ts\`, and run
\`npm run format\` and \`npm run openapi\`. The table is created at the next start; paging, idempotency and the whole test suite
work for it too. In every resource, the list of a page is called \`items\`, and the code for a wrong body is \`invalid_item\`.

## Adding a field

\`\`\`sh
npx dory add field "price:number(min=0)?"
\`\`\`

A field is one line of \`src/items/item.ts\`: what it accepts, its column, its type and what \`openapi.json\` says follow from it.
To write one by hand, the project has ${printTypes(all)}
\`optional(…)\` around one lets clients leave it out; with \`withDefault(…, 5)\` it then has this value.${printRules(all)}

For a schema of your own, of any library that supports [Standard Schema](https://standardschema.dev), say which column holds it: \`text\`,
\`number\`, \`integer\`, \`boolean\` or \`json\`. If the library cannot describe it in JSON Schema, add a \`jsonSchema\` after \`column\`.

\`\`\`ts
import * as v from "valibot";
import { field, optional } from "../core/fields/field.ts";

const color = v.pipe(
  v.string("must be a string"),
  v.regex(/^#[\\da-f]{6}$/, "must be a color, like #1e90ff"),
  v.metadata({ examples: ["#1e90ff"] }),
);

// In the resource:
  color: optional(field(color, { column: "text" })),
\`\`\`

Then run \`npm run openapi\`. At the next start the table gets its new column, if items may be without it or there are none yet.

${printSql(request)}## For every request

${wholeAppWords[framework]} go into \`src/app.ts\`, as the framework's documentation says. This sets a header, above \`${everywhere.above}\`:

\`\`\`ts
${everywhere.imports ? `${everywhere.imports}\n\n` : ""}${everywhere.code.trimEnd()}
\`\`\`

${featureGuide}`;
}

/** What an app has for every request. */
const wholeAppWords: Record<Request["framework"], string> = {
  elysia: "Plugins and hooks",
  express: "Middleware",
  fastify: "Plugins and hooks",
  h3: "Middleware and plugins",
  hapi: "Plugins and extensions",
  hono: "Middleware",
  koa: "Middleware",
  nest: "Middleware, global pipes, guards and interceptors",
};

/** The types of fields that the project has. */
function printTypes(kept: Field[]): string {
  const files = kept.flatMap(listFieldFiles);
  const kinds = parseFields(fieldExamples).map(
    ({ default: _, isUnique: __, ...kind }) => ({ ...kind, isOptional: false }) as Field,
  );
  const types = kinds.filter((kind) => listFieldFiles(kind).every((file) => files.includes(file)));
  const shown = types.map((kind) => `\`${printField(kind)}\``);
  return `${shown.join(", ")}; the command adds other types to \`src/core/fields\`.`;
}

/** Other rules of a resource that the project uses. */
function printRules(fields: Field[]): string {
  const unique = " With `unique(…)`, no two have the same value: that is 409 `conflict`.";
  const references = " The resource of a `ref(…)` must be mounted first.";
  return [
    fields.some(({ isUnique }) => isUnique) ? unique : "",
    fields.some(({ type }) => type === "ref") ? references : "",
  ].join("");
}

const renameFiles = (plural: string, singular: string) => `mv src/${plural}/item.ts src/${plural}/${singular}.ts
(cd src/${plural} && for file in items.*; do mv "$file" "${plural}.\${file#items.}"; done)
`;

/** A name for a resource that the project does not have yet. */
export function unusedExample(resources: Resource[]): Names {
  const free = ["orders", "notes", "tasks"].find((name) => resources.every((one) => one.name !== name));
  return toNames(free ?? "examples");
}
