import { Elysia } from "elysia";
import { FastResponse } from "srvx/node";
import { headersOfNew } from "../../../features/item-routes/etag.ts";
import { readCreation, readPage } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { setHeaders } from "../item-routes/headers.ts";
import { nodeRequest } from "../request.ts";
import { byIdRoutes } from "./by-id.ts";

const json = { "Content-Type": "application/json" };

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);

  return new Elysia({ prefix: "/items" })
    .get("/", async ({ request }) => {
      const page = readPage(nodeRequest(request));
      return new FastResponse(await table.list(page), { headers: json });
    })
    .post(
      "/",
      async ({ body, request }) => {
        const item = await table.create(body, readCreation(nodeRequest(request)));
        setHeaders(request, headersOfNew(nodeRequest(request).url, item));
        return new FastResponse(item, { status: 201, headers: json });
      },
      { body: NewItem, parse: "json" },
    )
    .use(byIdRoutes(table));
}
