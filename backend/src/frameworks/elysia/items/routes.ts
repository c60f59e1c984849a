import { Elysia, status } from "elysia";
import type { Parts } from "../../../config.ts";
import { addLocation } from "../../../core/frameworks/elysia/item-routes/location.ts";
import { creation, onlyJson, page, sendJson } from "../../../core/frameworks/elysia/request.ts";
import type { Stored, StoredPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Elysia({ prefix: "/items" })
    .use(page)
    .use(creation)
    .get(
      "/",
      async ({ page, set }) => {
        const list = await table.list(page);
        return sendJson<StoredPage<NewItem>>(set, list);
      },
      { page: true },
    )
    .post(
      "/",
      async ({ body, creation, set }) => {
        const item = await table.create(body, creation);
        return status(201, sendJson<Stored<NewItem>>(set, item));
      },
      {
        body: NewItem,
        parse: onlyJson,
        creation: true,
        afterHandle: addLocation,
      },
    )
    .use(byIdRoutes(table));
}
