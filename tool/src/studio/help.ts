import { quote } from "../new/programs.ts";
import type { Choice, Options } from "./api.ts";

/** What `curl` prints. */
export function printHelp(origin: string, options: Options): string {
  const first = `${origin}/projects/my-api.tgz?framework=hono`;
  const rich = `${origin}/projects/shop.tgz?framework=fastify&field=name:string(1..200)&field=price:number(0..)?&with=auth,cors`;
  const diff = `${origin}/projects/my-api.diff?framework=hono&against=framework%3Dkoa`;
  return `Dory ${options.version}: a small JSON API backend in the web framework you choose

  mkdir my-api && curl -fsS ${quote(first)} | tar xz -C my-api
  cd my-api && npm install && npm start

  mkdir shop && curl -fsS ${quote(rich)} | tar xz -C shop
  curl -fsS ${quote(diff)}

GET  /projects/NAME.tgz, .zip     the project; with auth, cors or webhooks, first: cp .env.example .env, and fill it in
GET  /projects/NAME.json          its files as JSON, with the digest of all
GET  /projects/NAME.diff          a unified diff from the project of against=QUERY to this one
POST /projects                    the same from a JSON request, {"name":"my-api","framework":"hono"}; Accept chooses the format
GET  /options                     everything below as JSON
GET  /openapi.json                all this for programs

The parameters are the flags of dory new: framework, field, resource, database, with, webhook, node, service.

framework
${printChoices(options.frameworks)}
database (default: ${options.defaults.database})
${printChoices(options.databases)}
with, may be repeated
${printChoices(options.features)}
webhook, may be repeated
${printChoices(options.sources)}
node (default: ${options.defaults.node})
${printChoices(options.nodes)}
field, may be repeated (default: ${options.defaults.fields.join(" ")})
  ${options.texts.field}
  ${options.texts.fieldExamples.join("  ")}
resource, may be repeated
  ${options.texts.resource}
  ${options.texts.resourceExample}
`;
}

function printChoices(choices: Choice[]): string {
  const width = Math.max(...choices.map(({ name }) => name.length));
  return choices.map(({ name, sentence }) => `  ${name.padEnd(width)}  ${sentence}`).join("\n");
}
