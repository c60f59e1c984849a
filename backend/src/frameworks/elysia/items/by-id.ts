import { Elysia, status } from "elysia";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { toPatch } from "../../../core/features/item-routes/merge-patch.ts";
import { conditions } from "../../../core/frameworks/elysia/item-routes/conditions.ts";
import { onlyJson, toJson } from "../../../core/frameworks/elysia/request.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);

  return new Elysia()
    .use(conditions)
    .get(
      "/:id",
      async ({ params, conditions, set }) => {
        const { headers, body } = await editor.read(params.id, conditions);
        set.headers.etag = headers.ETag;
        return body === null ? status(304) : toJson(body);
      },
      { conditions: true },
    )
    .put(
      "/:id",
      async ({ params, body: item, conditions, set }) => {
        const { headers, body } = await editor.replace(params.id, item, conditions);
        set.headers.etag = headers.ETag;
        return toJson(body);
      },
      { body: NewItem, parse: onlyJson, ifMatch: true },
    )
    .patch(
      "/:id",
      async ({ params, body: patch, conditions, set }) => {
        const { headers, body } = await editor.patch(params.id, patch, conditions);
        set.headers.etag = headers.ETag;
        return toJson(body);
      },
      { body: toPatch(items), parse: onlyJson, ifMatch: true },
    )
    .delete(
      "/:id",
      async ({ params, conditions }) => {
        await editor.remove(params.id, conditions);
        return status(204);
      },
      { ifMatch: true },
    );
}
