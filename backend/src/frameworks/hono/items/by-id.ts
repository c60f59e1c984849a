import { type Context, Hono } from "hono";
import { createEditor, type EditorAnswer } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/hono/connect.ts";
import { sendAnswer } from "../../../core/frameworks/hono/item-routes/answer.ts";
import { conditions } from "../../../core/frameworks/hono/item-routes/conditions.ts";
import type { Stored } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);

  return new Hono()
    .get("/:id", conditions, async (c) => {
      return send(c, await editor.read(c.req.param("id"), c.var.conditions));
    })
    .put("/:id", valid(NewItem), conditions, async (c) => {
      return send(c, await editor.replace(c.req.param("id"), c.req.valid("json"), c.var.conditions));
    })
    .patch("/:id", valid(Patch), conditions, async (c) => {
      return send(c, await editor.patch(c.req.param("id"), c.req.valid("json"), c.var.conditions));
    })
    .delete("/:id", conditions, async (c) => {
      return send(c, await editor.remove(c.req.param("id"), c.var.conditions));
    });
}

/** Typed clients know the status and the body of each answer. */
function send<A extends EditorAnswer>(c: Context, answer: A) {
  return sendAnswer<Stored<NewItem>, A>(c, answer);
}
