import { type Context, Hono, type TypedResponse } from "hono";
import { type EditorAnswer, editorOf } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { nodeRequest, valid } from "../../../core/frameworks/hono/body.ts";
import { readConditions } from "../../../core/input.ts";
import type { Stored } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = editorOf(items, table);

  return new Hono()
    .get("/:id", async (c) => {
      return send(c, await editor.read(c.req.param("id"), readConditions(nodeRequest(c))));
    })
    .put("/:id", valid(NewItem), async (c) => {
      return send(c, await editor.replace(c.req.param("id"), c.req.valid("json"), readConditions(nodeRequest(c))));
    })
    .patch("/:id", valid(Patch), async (c) => {
      return send(c, await editor.patch(c.req.param("id"), c.req.valid("json"), readConditions(nodeRequest(c))));
    })
    .delete("/:id", async (c) => {
      return send(c, await editor.remove(c.req.param("id"), readConditions(nodeRequest(c))));
    });
}

/** What typed clients see. */
type Found = TypedResponse<Stored<NewItem>, 200, "json">;
type Bodiless = TypedResponse<null, 204 | 304, "body">;

function send(c: Context, { status, headers, body }: EditorAnswer) {
  const response: unknown = c.newResponse(body, status, headers);
  return response as Found | Bodiless;
}
