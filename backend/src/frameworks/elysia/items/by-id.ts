import { type Context, Elysia } from "elysia";
import { createEditor, type EditorAnswer } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { sendAnswer } from "../../../core/frameworks/elysia/item-routes/answer.ts";
import { conditions } from "../../../core/frameworks/elysia/item-routes/conditions.ts";
import type { Stored } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);

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

function send<A extends EditorAnswer>(set: Context["set"], answer: A) {
  if (answer.headers.ETag) set.headers.etag = answer.headers.ETag;
  return sendAnswer<Stored<NewItem>, A>(set, answer);
}
