import type { Plugin } from "@hapi/hapi";
import type { Conditions } from "../../../core/conditions.ts";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/hapi/connect.ts";
import { conditions } from "../../../core/frameworks/hapi/item-routes/conditions.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

interface ById {
  Params: { id: string };
  Pres: { conditions: Conditions };
}

/** `/items/{id}` */
export const byIdRoutes: Plugin<{ table: Table<NewItem> }> = {
  name: "items-by-id",
  register(server, { table }) {
    const editor = createEditor(items, table);

    server.route<ById>({
      method: "GET",
      path: "/{id}",
      options: { pre: [conditions] },
      handler: async ({ params, pre }, h) => {
        const { headers, body } = await editor.read(params.id, pre.conditions);
        const response = body === null ? h.response().code(304) : h.response(body).type("application/json");
        return response.header("ETag", headers.ETag);
      },
    });

    server.route<ById & { Payload: NewItem }>({
      method: "PUT",
      path: "/{id}",
      options: { validate: { payload: valid(NewItem) }, pre: [conditions] },
      handler: async ({ params, payload, pre }, h) => {
        const { headers, body } = await editor.replace(params.id, payload, pre.conditions);
        return h.response(body).type("application/json").header("ETag", headers.ETag);
      },
    });

    server.route<ById & { Payload: Record<string, unknown> }>({
      method: "PATCH",
      path: "/{id}",
      options: { validate: { payload: valid(MergePatch) }, pre: [conditions] },
      handler: async ({ params, payload, pre }, h) => {
        const { headers, body } = await editor.patch(params.id, payload, pre.conditions);
        return h.response(body).type("application/json").header("ETag", headers.ETag);
      },
    });

    server.route<ById>({
      method: "DELETE",
      path: "/{id}",
      // The body of a DELETE has no meaning: it is not read.
      options: { payload: { parse: false, output: "stream" }, pre: [conditions] },
      handler: async ({ params, pre }, h) => {
        await editor.remove(params.id, pre.conditions);
        return h.response().code(204);
      },
    });
  },
};
