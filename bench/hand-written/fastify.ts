import Fastify from "fastify";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";

const text = { type: "string" } as const;
const item = { type: "object", properties: { id: text, name: text, createdAt: text } };
const page = {
  type: "object",
  properties: { items: { type: "array", items: item }, nextCursor: { type: ["string", "null"] } },
};
const newItem = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string", minLength: 1, maxLength: 200 } },
};
const health = { type: "object", properties: { status: text } };

const app = Fastify({ logger: true });

app.get("/health", { schema: { response: { 200: health } } }, async () => {
  await ping();
  return { status: "ok" };
});

app.get<{ Querystring: { cursor?: string } }>(
  "/items",
  { schema: { querystring: { type: "object", properties: { cursor: text } }, response: { 200: page } } },
  async ({ query }) => listItems(query.cursor),
);

app.post<{ Body: { name: string } }>(
  "/items",
  { schema: { body: newItem, response: { 201: item } } },
  async ({ body }, reply) => reply.code(201).send(await createItem(body.name)),
);

app.listen({ port, host });
