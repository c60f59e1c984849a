import { H3, HTTPResponse, readValidatedBody } from "h3";
import { headersOfNew } from "../../../features/item-routes/etag.ts";
import { readCreation, readPage } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { nodeRequest } from "../body.ts";
import { byIdRoutes } from "./by-id.ts";

const json = { "Content-Type": "application/json" };

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);
  const app = new H3();

  app.get("/", async (event) => {
    const page = readPage(nodeRequest(event));
    return new HTTPResponse(await table.list(page), { headers: json });
  });

  app.post("/", async (event) => {
    const item = await readValidatedBody(event, NewItem);
    const created = await table.create(item, readCreation(nodeRequest(event)));
    const headers = headersOfNew(nodeRequest(event).url, created);
    for (const [name, value] of Object.entries(headers)) event.res.headers.set(name, value);
    return new HTTPResponse(created, { status: 201, headers: json });
  });

  app.mount("", byIdRoutes(table));

  return app;
}
