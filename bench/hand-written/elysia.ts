import { logger } from "@bogeychan/elysia-logger";
import { node } from "@elysiajs/node";
import { Elysia, t } from "elysia";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";

const item = t.Object({ id: t.String(), name: t.String(), createdAt: t.String() });
const page = t.Object({ items: t.Array(item), nextCursor: t.Nullable(t.String()) });
const newItem = t.Object({ name: t.String({ minLength: 1, maxLength: 200 }) });

new Elysia({ adapter: node() })
  .use(logger())
  .get(
    "/health",
    async () => {
      await ping();
      return { status: "ok" };
    },
    { response: t.Object({ status: t.String() }) },
  )
  .get("/items", ({ query }) => listItems(query.cursor), {
    query: t.Object({ cursor: t.Optional(t.String()) }),
    response: page,
  })
  .post("/items", async ({ body, status }) => status(201, await createItem(body.name)), {
    body: newItem,
    response: { 201: item },
  })
  .listen({ port, hostname: host });
