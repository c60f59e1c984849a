import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type EditorAnswer, editorOf } from "../../../features/item-routes/editor.ts";
import { Patch } from "../../../features/item-routes/merge-patch.ts";
import { readConditions } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Table } from "../../../store/store.ts";
import { valid } from "../body.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = editorOf(items, table);
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.get("/:id", async (c) => {
    return send(c, await editor.read(c.req.param("id"), readConditions(c.env.incoming)));
  });

  app.put("/:id", valid(NewItem), async (c) => {
    return send(c, await editor.replace(c.req.param("id"), c.req.valid("json"), readConditions(c.env.incoming)));
  });

  app.patch("/:id", valid(Patch), async (c) => {
    return send(c, await editor.patch(c.req.param("id"), c.req.valid("json"), readConditions(c.env.incoming)));
  });

  app.delete("/:id", async (c) => {
    return send(c, await editor.remove(c.req.param("id"), readConditions(c.env.incoming)));
  });

  return app;
}

function send(c: Context, { status, headers, body }: EditorAnswer): Response {
  return c.newResponse(body, status, headers);
}
