import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import type { FastifyPluginAsyncStandard } from "../../../core/frameworks/fastify/schema.ts";
import { PageQuery, readCreation } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items`. What the table returns is JSON text already. */
export const itemRoutes: FastifyPluginAsyncStandard<{ parts: Parts }> = async (app, { parts: { store } }) => {
  const table = store.table(items);

  // Not "/": Fastify would serve `/items/`, too.
  app.get("", { schema: { querystring: PageQuery } }, async (request, reply) => {
    return reply.type("application/json").send(await table.list(request.query));
  });

  app.post("", { schema: { body: NewItem } }, async (request, reply) => {
    const item = await table.create(request.body, readCreation(request.raw));
    reply.headers(headersOfNew(request.url, item));
    return reply.code(201).type("application/json").send(item);
  });

  app.register(byIdRoutes, { table });
};
