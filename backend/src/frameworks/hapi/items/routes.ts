import type { Plugin } from "@hapi/hapi";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { valid } from "../../../core/frameworks/hapi/body.ts";
import { readCreation, readPage } from "../../../core/input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export const itemRoutes: Plugin<Parts> = {
  name: "items",
  register(server, { store }) {
    const table = store.table(items);

    server.route({
      method: "GET",
      path: "/",
      handler: async ({ raw }, h) => {
        const page = readPage(raw.req);
        return h.response(await table.list(page)).type("application/json");
      },
    });

    server.route<{ Payload: NewItem }>({
      method: "POST",
      path: "/",
      options: { validate: { payload: valid(NewItem) } },
      handler: async ({ payload, raw }, h) => {
        const item = await table.create(payload, readCreation(raw.req));
        const response = h.response(item).code(201).type("application/json");
        const headers = headersOfNew(raw.req.url, item);
        for (const [name, value] of Object.entries(headers)) response.header(name, value);
        return response;
      },
    });

    return server.register(byIdRoutes(table));
  },
};
