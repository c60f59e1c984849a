import { Elysia, status } from "elysia";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { sendJson } from "../../../core/frameworks/elysia/json.ts";
import { nodeRequest } from "../../../core/frameworks/elysia/request.ts";
import { readCreation, readPage } from "../../../core/input.ts";
import type { Stored, StoredPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Elysia({ prefix: "/items" })
    .get("/", async ({ request, set }) => {
      const page = await table.list(readPage(request));
      return sendJson<StoredPage<NewItem>>(set, page);
    })
    .post(
      "/",
      async ({ body, request, set }) => {
        const item = await table.create(body, readCreation(nodeRequest(request)));
        Object.assign(set.headers, headersOfNew(nodeRequest(request).url, item));
        return status(201, sendJson<Stored<NewItem>>(set, item));
      },
      { body: NewItem, parse: "json" },
    )
    .use(byIdRoutes(table));
}
