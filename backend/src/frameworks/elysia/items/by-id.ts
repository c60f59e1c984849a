import { type Context, Elysia, status } from "elysia";
import { type EditorAnswer, editorOf } from "../../../features/item-routes/editor.ts";
import { Patch } from "../../../features/item-routes/merge-patch.ts";
import { readConditions } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Stored } from "../../../resource.ts";
import type { Table } from "../../../store/store.ts";
import { sendJson } from "../json.ts";
import { nodeRequest } from "../request.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = editorOf(items, table);

  return new Elysia()
    .get("/:id", async ({ params, request, set }) => {
      return send(set, await editor.read(params.id, readConditions(nodeRequest(request))));
    })
    .put(
      "/:id",
      async ({ params, body, request, set }) => {
        return send(set, await editor.replace(params.id, body, readConditions(nodeRequest(request))));
      },
      { body: NewItem, parse: "json" },
    )
    .patch(
      "/:id",
      async ({ params, body, request, set }) => {
        return send(set, await editor.patch(params.id, body, readConditions(nodeRequest(request))));
      },
      { body: Patch, parse: "json" },
    )
    .delete("/:id", async ({ params, request, set }) => {
      return send(set, await editor.remove(params.id, readConditions(nodeRequest(request))));
    });
}

function send(set: Context["set"], { status: code, headers, body }: EditorAnswer) {
  if (headers.ETag) set.headers["etag"] = headers.ETag;
  return body === null ? status(code) : status(code, sendJson<Stored<NewItem>>(set, body));
}
