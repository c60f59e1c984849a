import Router from "@koa/router";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/koa/connect.ts";
import { readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>): Router {
  const editor = createEditor(items, table);
  const router = new Router();

  router.get("/:id", async (ctx) => {
    const { status, headers, body } = await editor.read(ctx.params.id, readConditions(ctx.req));
    ctx.set(headers);
    ctx.status = status;
    ctx.body = body;
  });

  router.put("/:id", valid(NewItem), async (ctx) => {
    const { headers, body } = await editor.replace(ctx.params.id, ctx.request.body, readConditions(ctx.req));
    ctx.set(headers);
    ctx.body = body;
  });

  router.patch("/:id", valid(MergePatch), async (ctx) => {
    const { headers, body } = await editor.patch(ctx.params.id, ctx.request.body, readConditions(ctx.req));
    ctx.set(headers);
    ctx.body = body;
  });

  router.delete("/:id", async (ctx) => {
    await editor.remove(ctx.params.id, readConditions(ctx.req));
    ctx.status = 204;
  });

  return router;
}
