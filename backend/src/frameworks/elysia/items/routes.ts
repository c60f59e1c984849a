import { Elysia, status } from "elysia";
import type { Parts } from "../../../config.ts";
import { addLocation } from "../../../core/frameworks/elysia/item-routes/location.ts";
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
      async ({ body, creation }) => {
        const item = await table.create(body, creation);
        return status(201, toJson(item));
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
