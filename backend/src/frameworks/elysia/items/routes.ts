import { Elysia, status } from "elysia";
import { creation } from "../../../core/frameworks/elysia/creation.ts";
import { addLocation } from "../../../core/frameworks/elysia/item-routes/location.ts";
import { sendJson } from "../../../core/frameworks/elysia/json.ts";
import { PageQuery } from "../../../core/frameworks/elysia/page-query.ts";
import type { Stored, StoredPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Elysia({ prefix: "/items" })
    .use(creation)
    .get(
      "/",
      // The schema sets the limit; for a typed client both are optional.
      async ({ query: { limit = 20, cursor }, set }) => {
        const page = await table.list({ limit, cursor });
        return sendJson<StoredPage<NewItem>>(set, page);
      },
      { query: PageQuery },
    )
    .post(
      "/",
      async ({ body, creation, set }) => {
        const item = await table.create(body, creation);
        return status(201, sendJson<Stored<NewItem>>(set, item));
      },
      {
        body: NewItem,
        parse: "json",
        creation: true,
        afterHandle: addLocation,
      },
    )
    .use(byIdRoutes(table));
}
