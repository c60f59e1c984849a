import { type Context, Elysia, status } from "elysia";
import { type EditorAnswer, editorOf } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { sendJson } from "../../../core/frameworks/elysia/json.ts";
import { nodeRequest } from "../../../core/frameworks/elysia/request.ts";
import { readConditions } from "../../../core/input.ts";
import type { Stored } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

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
      { body: MergePatch, parse: "json" },
    )
    .delete("/:id", async ({ params, request, set }) => {
      return send(set, await editor.remove(params.id, readConditions(nodeRequest(request))));
    });
}

function send(set: Context["set"], { status: code, headers, body }: EditorAnswer) {
  if (headers.ETag) set.headers["etag"] = headers.ETag;
  return body === null ? status(code) : status(code, sendJson<Stored<NewItem>>(set, body));
}
