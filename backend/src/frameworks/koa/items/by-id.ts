import Router from "@koa/router";
import type { Context, DefaultState } from "koa";
import { createEditor, type EditorResult } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/koa/connect.ts";
import { readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);
  // The router's types do not know which parameters a path has.
  const router = new Router<DefaultState, { params: { id: string } }>();

  router.get("/:id", async (ctx) => {
    send(ctx, await editor.read(ctx.params.id, readConditions(ctx.req)));
  });

  router.put("/:id", valid(NewItem), async (ctx) => {
    send(ctx, await editor.replace(ctx.params.id, ctx.request.body, readConditions(ctx.req)));
  });

  router.patch("/:id", valid(Patch), async (ctx) => {
    send(ctx, await editor.patch(ctx.params.id, ctx.request.body, readConditions(ctx.req)));
  });

  router.delete("/:id", async (ctx) => {
    send(ctx, await editor.remove(ctx.params.id, readConditions(ctx.req)));
  });

  return router;
}

/** Sends what the editor has answered: 304 and 204 have no body. */
function send(ctx: Context, { status, headers, body }: EditorResult): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}
