import { Elysia, status } from "elysia";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { creation, onlyJson, PageQuery, toJson } from "../../../core/frameworks/elysia/request.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Elysia({ prefix: "/items" })
    .use(creation)
    .get("/", async ({ query }) => toJson(await table.list(query)), { query: PageQuery })
    .post(
      "/",
      async ({ body, creation, path, set }) => {
        const item = await table.create(body, creation);
        const { Location, ETag } = headersOfNew(path, item);
        set.headers.location = Location;
        set.headers.etag = ETag;
        return status(201, toJson(item));
      },
      { body: NewItem, parse: onlyJson, creation: true },
    )
    .use(byIdRoutes(table));
}
