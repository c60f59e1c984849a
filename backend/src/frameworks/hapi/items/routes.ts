import type { Plugin } from "@hapi/hapi";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { valid } from "../../../core/frameworks/hapi/connect.ts";
import { type Page, PageQuery, readCreation } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items`. What the table returns is JSON text already. */
export const itemRoutes: Plugin<Parts> = {
  name: "items",
  async register(server, { store }) {
    const table = store.table(items);

    server.route<{ Query: Page }>({
      method: "GET",
      path: "/",
      options: { validate: { query: valid(PageQuery) } },
      handler: async ({ query }, h) => {
        const page = await table.list(query);
        return h.response(page).type("application/json");
      },
    });

    server.route<{ Payload: NewItem }>({
      method: "POST",
      path: "/",
      options: { validate: { payload: valid(NewItem) } },
      handler: async (request, h) => {
        const item = await table.create(request.payload, readCreation(request));
        const response = h.response(item).type("application/json");
        const { Location, ETag } = headersOfNew(request.path, item);
        response.location(Location).header("ETag", ETag);
        return response.code(201);
      },
    });

    await server.register({ plugin: byIdRoutes, options: { table } });
  },
};
