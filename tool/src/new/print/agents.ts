import type { Request } from "../request.ts";
import { appFile, mountsFile } from "../slice/slice.ts";
import { unusedExample } from "./guide/index.ts";

/** The text of `AGENTS.md`: what a coding assistant must know. */
export function printAgents({ framework, resources, features, webhooks }: Request): string {
  const isNest = framework === "nest";
  return `# For coding assistants

Commands: \`npm start\`, \`npm run dev\`, \`npm test\`, \`npm run check\` (format, lint, types), \`npm run format\`, \`npm run openapi\`, \`npm run migrate\`.
A change is done when \`npm run check\` and \`npm test\` pass.

## Layout

- \`src/app.ts\`: creates the app, with what concerns all requests.${isNest ? "\n- `src/app.module.ts`: its root module. Import your own modules" : " Mount your own routes"} here; write them as the framework's documentation says.
- \`src/${mountsFile(framework)}\`: mounts one folder for each resource. It changes when one is added: other routes of your own belong in \`src/${appFile(framework)}\`.
- \`src/items/\`: a resource: \`item.ts\` (one line for each field) and its routes${isNest ? " (module, controller, service)" : ""}. \`npx dory add resource "${unusedExample(resources).plural}: …"\` makes another one.${resources.map(({ name }) => ` \`src/${name}/\` is another resource.`).join("")}
${features.includes("webhooks") ? webhookLayout : ""}- \`src/config.ts\`: the environment; add your own variables here. \`src/features.ts\`: what concerns every request, or runs in the background. \`src/main.ts\` starts everything.
- \`src/core/\`: the server, the stores, problems, and what connects them with the framework. You may change it; \`dory update\` merges what you changed. Its README.md says what each part does.
  \`store.table(resource)\` has \`list\`, \`create\`, \`get\` and \`count\`.${features.includes("item-routes") ? itemLayout : ""}
- \`test/app.test.ts\`: tests of your own routes; \`npm test -- test/app.test.ts\` runs only these. \`test/contract.test.ts\`: the contract; it reads \`openapi.json\`.
- \`dory.ts\`, \`.dory/\`: the build, the tools of the tests, and what makes \`openapi.json\`. Leave them alone: \`dory update\` replaces them.

## Rules

- Every failure is a problem (RFC 9457): throw \`new Problem(code, detail)\` (from \`src/core/problem.ts\`; \`new Problem(["sold_out", 409], detail)\` for a code of your own) or ${ownFailures[framework]}; never write an error body by hand.
- Validate with schemas, never with casts: ${validation[framework]}. Bodies are limited and parsed for you. Raw bytes: ${rawBytes[framework]}.
- Configuration comes from environment variables, read once in \`src/config.ts\`. No secret in code, logs, tests or commits.
- \`openapi.json\` describes every route. It is generated from resources and from the schemas that routes declare: after a change run \`npm run openapi\`, then write there what no schema says.${
    features.includes("auth")
      ? `\n- Every route except \`/health\` requires a token, unless it is declared public (README.md).`
      : ""
  }${features.includes("webhooks") ? printWebhookRule(webhooks) : ""}
- A new column must be optional, or the table empty; anything else needs a file in \`migrations/\` (README.md). Never change one that was applied.
`;
}

/** How a route validates what it gets. */
const validation: Record<Request["framework"], string> = {
  elysia: "`body`, `query` and `params` in the options of a route, with `t` or any Standard Schema",
  express: '`valid(schema)` before the handler, `await validate(schema, req.query, "query")` in it',
  fastify: "`schema: { body, querystring, params }` in the options of a route, with JSON Schema or any Standard Schema",
  h3: "`readValidatedBody(event, schema, { onError: refuse })`, `getValidatedQuery(event, schema, { onError: refuseQuery })`",
  hapi: "`validate: { payload: valid(schema) }` in the options of a route, or joi",
  hono: '`sValidator("json", schema)` before the handler, `c.req.valid("json")` in it',
  koa: '`valid(schema)` before the handler, `await validate(schema, ctx.query, "query")` in it',
  nest: "`@Body({ schema })`, `@Query({ schema })`",
};

const fromCore = "from `src/core/http/request.ts`";

/** How a handler reads the bytes of a body. */
const rawBytes: Record<Request["framework"], string> = {
  elysia: '`parse: "arrayBuffer"` in the options of a route',
  express: `\`await readBody(req)\` ${fromCore}`,
  fastify: "a content type parser (README.md)",
  h3: "`await event.req.bytes()`",
  hapi: "`payload: { parse: false }` in the options of a route",
  hono: "`await c.req.arrayBuffer()`",
  koa: `\`await readBody(ctx.req)\` ${fromCore}`,
  nest: `\`await readBody(req)\` ${fromCore}`,
};

/** The framework's own way to fail with a 4xx. */
const ownFailures: Record<Request["framework"], string> = {
  elysia: "return `status(404, …)`, which typed clients know",
  express: "an error with a 4xx `status`",
  fastify: "an error with a 4xx `statusCode`",
  h3: "an `HTTPError`",
  hapi: "a Boom error (`npm install @hapi/boom`)",
  hono: "an `HTTPException`",
  koa: "with `ctx.throw(404, …)`",
  nest: "an `HttpException`",
};

const itemLayout = ` \`rows\` reads and changes one item: use it through \`createEditor\` in \`src/core/features/item-routes/\`, which checks \`If-Match\`.`;

const webhookLayout = `- \`src/webhooks/handlers.ts\`: handlers of events. \`src/core/features/webhooks/\` checks, stores and retries them.
`;

const printWebhookRule = (webhooks: Request["webhooks"]) => `
- A handler of webhooks may get an event twice: make it safe to repeat, by the event's \`id\`${webhooks.includes("github") ? "; with GitHub by the payload, because only that is signed" : ""}. Let it throw if it cannot process the event now.`;
