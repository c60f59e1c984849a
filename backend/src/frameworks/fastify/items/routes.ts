import { headersOfNew } from "../../../features/item-routes/etag.ts";
import { readCreation, readPage } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import type { Plugin } from "../schema.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export const itemRoutes: Plugin<{ parts: Parts }> = async (app, { parts: { store } }) => {
  const table = store.table(items);

  app.get("/", async (request, reply) => {
    const page = readPage(request.raw);
    return reply.type("application/json").send(await table.list(page));
  });

  app.post("/", { schema: { body: NewItem } }, async (request, reply) => {
    const item = await table.create(request.body, readCreation(request.raw));
    reply.headers(headersOfNew(request.raw.url, item));
    return reply.code(201).type("application/json").send(item);
  });

  app.register(byIdRoutes, { table });
};
