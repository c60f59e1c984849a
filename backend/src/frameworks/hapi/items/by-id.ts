import type { Plugin, ResponseObject, ResponseToolkit } from "@hapi/hapi";
import { createEditor, type EditorResult } from "../../../core/features/item-routes/editor.ts";
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
      handler: async ({ params, raw }, h) => send(h, await editor.read(params.id, readConditions(raw.req))),
    });

    server.route<ById & { Payload: NewItem }>({
      method: "PUT",
      path: "/{id}",
      options: { validate: { payload: valid(NewItem) } },
      handler: async ({ params, payload, raw }, h) =>
        send(h, await editor.replace(params.id, payload, readConditions(raw.req))),
    });

    server.route<ById & { Payload: Record<string, unknown> }>({
      method: "PATCH",
      path: "/{id}",
      options: { validate: { payload: valid(Patch) } },
      handler: async ({ params, payload, raw }, h) =>
        send(h, await editor.patch(params.id, payload, readConditions(raw.req))),
    });

    server.route<ById>({
      method: "DELETE",
      path: "/{id}",
      // The body of a DELETE has no meaning: it is not read.
      options: { payload: { parse: false, output: "stream" } },
      handler: async ({ params, raw }, h) => send(h, await editor.remove(params.id, readConditions(raw.req))),
    });
  },
};

function send(h: Pick<ResponseToolkit, "response">, { status, headers, body }: EditorResult): ResponseObject {
  const response = h.response(body ?? undefined).code(status);
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  return response;
}
