import Router from "@koa/router";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { valid } from "../../../core/frameworks/koa/connect.ts";
import { readCreation, readPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items`. What the table returns is JSON text already. */
export function itemRoutes({ store }: Parts): Router {
  const table = store.table(items);
  const router = new Router({ prefix: "/items" });

  router.get("/", async (ctx) => {
    const page = readPage(ctx.req);
    ctx.type = "json";
    ctx.body = await table.list(page);
  });

  router.post("/", valid(NewItem), async (ctx) => {
    const item = await table.create(ctx.request.body, readCreation(ctx.req));
    ctx.set(headersOfNew(ctx.originalUrl, item));
    ctx.status = 201;
    ctx.type = "json";
    ctx.body = item;
  });

  router.use(byIdRoutes(table).routes());

  return router;
}
