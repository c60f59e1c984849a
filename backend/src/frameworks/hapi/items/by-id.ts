import type { Plugin } from "@hapi/hapi";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/hapi/connect.ts";
import { readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

interface ById {
  Params: { id: string };
}

/** `/items/{id}` */
export const byIdRoutes: Plugin<{ table: Table<NewItem> }> = {
  name: "items-by-id",
  register(server, { table }) {
    const editor = createEditor(items, table);

    server.route<ById>({
      method: "GET",
      path: "/{id}",
      handler: async ({ params, raw }, h) => {
        const { headers, body } = await editor.read(params.id, readConditions(raw.req));
        const response = body === null ? h.response().code(304) : h.response(body).type("application/json");
        return response.header("ETag", headers.ETag);
      },
    });

    server.route<ById & { Payload: NewItem }>({
      method: "PUT",
      path: "/{id}",
      options: { validate: { payload: valid(NewItem) } },
      handler: async ({ params, payload, raw }, h) => {
        const { headers, body } = await editor.replace(params.id, payload, readConditions(raw.req));
        return h.response(body).type("application/json").header("ETag", headers.ETag);
      },
    });

    server.route<ById & { Payload: Record<string, unknown> }>({
      method: "PATCH",
      path: "/{id}",
      options: { validate: { payload: valid(Patch) } },
      handler: async ({ params, payload, raw }, h) => {
        const { headers, body } = await editor.patch(params.id, payload, readConditions(raw.req));
        return h.response(body).type("application/json").header("ETag", headers.ETag);
      },
    });

    server.route<ById>({
      method: "DELETE",
      path: "/{id}",
      // The body of a DELETE has no meaning: it is not read.
      options: { payload: { parse: false, output: "stream" } },
      handler: async ({ params, raw }, h) => {
        await editor.remove(params.id, readConditions(raw.req));
        return h.response().code(204);
      },
    });
  },
};
