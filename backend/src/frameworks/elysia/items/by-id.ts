import { Elysia } from "elysia";
import { FastResponse } from "srvx/node";
import { type EditorAnswer, editorOf } from "../../../features/item-routes/editor.ts";
import { Patch } from "../../../features/item-routes/merge-patch.ts";
import { readConditions } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Table } from "../../../store/store.ts";
import { nodeRequest } from "../request.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = editorOf(items, table);

  return new Elysia()
    .get("/:id", async ({ params, request }) => {
      return send(await editor.read(params.id, readConditions(nodeRequest(request))));
    })
    .put(
      "/:id",
      async ({ params, body, request }) => {
        return send(await editor.replace(params.id, body, readConditions(nodeRequest(request))));
      },
      { body: NewItem, parse: "json" },
    )
    .patch(
      "/:id",
      async ({ params, body, request }) => {
        return send(await editor.patch(params.id, body, readConditions(nodeRequest(request))));
      },
      { body: Patch, parse: "json" },
    )
    .delete("/:id", async ({ params, request }) => {
      return send(await editor.remove(params.id, readConditions(nodeRequest(request))));
    });
}

function send({ status, headers, body }: EditorAnswer): Response {
  return new FastResponse(body, { status, headers });
}
