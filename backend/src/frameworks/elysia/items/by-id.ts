import { type Context, Elysia, status } from "elysia";
import { type EditorAnswer, editorOf } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { conditions } from "../../../core/frameworks/elysia/item-routes/conditions.ts";
import { sendJson } from "../../../core/frameworks/elysia/json.ts";
import type { Stored } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = editorOf(items, table);

  return new Elysia()
    .use(conditions)
    .get("/:id", async ({ params, conditions, set }) => send(set, await editor.read(params.id, conditions)), {
      conditions: true,
    })
    .put(
      "/:id",
      async ({ params, body, conditions, set }) => send(set, await editor.replace(params.id, body, conditions)),
      { body: NewItem, parse: "json", conditions: true },
    )
    .patch(
      "/:id",
      async ({ params, body, conditions, set }) => send(set, await editor.patch(params.id, body, conditions)),
      { body: Patch, parse: "json", conditions: true },
    )
    .delete("/:id", async ({ params, conditions, set }) => send(set, await editor.remove(params.id, conditions)), {
      conditions: true,
    });
}

function send(set: Context["set"], { status: code, headers, body }: EditorAnswer) {
  if (headers.ETag) set.headers.etag = headers.ETag;
  return body === null ? status(code) : status(code, sendJson<Stored<NewItem>>(set, body));
}
