import { Hono } from "hono";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { nodeRequest, valid } from "../../../core/frameworks/hono/body.ts";
import { sendJson } from "../../../core/frameworks/hono/json.ts";
import { readCreation, readPage } from "../../../core/input.ts";
import type { Stored, StoredPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Hono()
    .get("/", async (c) => {
      const page = await table.list(readPage(c.req));
      return sendJson<StoredPage<NewItem>>(c, page);
    })
    .post("/", valid(NewItem), async (c) => {
      const item = await table.create(c.req.valid("json"), readCreation(nodeRequest(c)));
      const headers = headersOfNew(c.req.path, item);
      for (const [name, value] of Object.entries(headers)) c.header(name, value);
      return sendJson<Stored<NewItem>, 201>(c, item, 201);
    })
    .route("/", byIdRoutes(table));
}
