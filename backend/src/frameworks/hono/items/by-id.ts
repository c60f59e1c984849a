import { Hono } from "hono";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { toPatch } from "../../../core/features/item-routes/merge-patch.ts";
import { sendJson, sValidator } from "../../../core/frameworks/hono/connect.ts";
import { conditions, ifMatch } from "../../../core/frameworks/hono/item-routes/conditions.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);

  return new Hono()
    .get("/:id", conditions, async (c) => {
      const { headers, body } = await editor.read(c.req.param("id"), c.var.conditions);
      return body === null ? c.body(null, 304, headers) : sendJson(c, body, 200, headers);
    })
    .put("/:id", sValidator("json", NewItem), ifMatch, async (c) => {
      const { headers, body } = await editor.replace(c.req.param("id"), c.req.valid("json"), c.var.conditions);
      return sendJson(c, body, 200, headers);
    })
    .patch("/:id", sValidator("json", toPatch(items)), ifMatch, async (c) => {
      const { headers, body } = await editor.patch(c.req.param("id"), c.req.valid("json"), c.var.conditions);
      return sendJson(c, body, 200, headers);
    })
    .delete("/:id", ifMatch, async (c) => {
      await editor.remove(c.req.param("id"), c.var.conditions);
      return c.body(null, 204);
    });
}
