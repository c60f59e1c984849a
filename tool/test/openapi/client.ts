/** A program that uses the client for `openapi.json`; `api.ts` is generated. */
export const client = `import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

const [baseUrl = "", token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });

const created = await client.POST("/items", {
  body: { name: "Ada", tags: ["first"] },
  params: { header: { "Idempotency-Key": "once" } },
});
const name: string | undefined = created.data?.name;

const listed = await client.GET("/items", { params: { query: { limit: 1 } } });
const ids: string[] = listed.data?.items.map((item: components["schemas"]["Item"]) => item.id) ?? [];

const long = "x".repeat(81);
const refused = await client.POST("/items", { body: { name: long } });
const problem: components["schemas"]["Problem"] | undefined = refused.error;

// @ts-expect-error: an item has a name
await client.POST("/items", { body: { tags: [] } });
// @ts-expect-error: there is no such route
await client.GET("/nowhere");

const health = await client.GET("/health");
const status: "ok" | undefined = health.data?.status;

console.log(
  JSON.stringify({
    name,
    isListed: ids[0] === created.data?.id,
    nextCursor: listed.data?.nextCursor,
    code: problem?.code,
    pointer: problem?.errors?.[0]?.pointer,
    status,
  }),
);
`;
