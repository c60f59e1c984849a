import { Hono } from "hono";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { creation, sendJson, sValidator } from "../../../core/frameworks/hono/connect.ts";
import { PageQuery } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Hono()
    .get("/", sValidator("query", PageQuery), async (c) => {
      const page = await table.list(c.req.valid("query"));
      return sendJson(c, page);
    })
    .post("/", sValidator("json", NewItem), creation, async (c) => {
      const item = await table.create(c.req.valid("json"), c.var.creation);
      const { Location, ETag } = headersOfNew(c.req.path, item);
      c.header("Location", Location);
      c.header("ETag", ETag);
      return sendJson(c, item, 201);
    })
    .route("/", byIdRoutes(table));
}
