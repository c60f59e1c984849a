import { Hono } from "hono";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { creation, sendJson, valid } from "../../../core/frameworks/hono/connect.ts";
import { PageQuery, type Stored, type StoredPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Hono()
    .get("/", valid("query", PageQuery), async (c) => {
      const page = await table.list(c.req.valid("query"));
      return sendJson<StoredPage<NewItem>>(c, page, 200);
    })
    .post("/", valid("json", NewItem), creation, async (c) => {
      const item = await table.create(c.req.valid("json"), c.var.creation);
      const { Location, ETag } = headersOfNew(c.req.path, item);
      c.header("Location", Location);
      c.header("ETag", ETag);
      return sendJson<Stored<NewItem>, 201>(c, item, 201);
    })
    .route("/", byIdRoutes(table));
}
