import { H3, HTTPResponse, readValidatedBody } from "h3";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { invalid, jsonOnly, nodeRequest } from "../../../core/frameworks/h3/body.ts";
import { readCreation, readPage } from "../../../core/input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);
  const app = new H3();
  app.use(jsonOnly);

  app.get("/", async (event) => {
    const page = readPage(nodeRequest(event));
    return new HTTPResponse(await table.list(page), { headers: { "Content-Type": "application/json" } });
  });

  app.post("/", async (event) => {
    const item = await readValidatedBody(event, NewItem, invalid);
    const created = await table.create(item, readCreation(nodeRequest(event)));
    const headers = {
      "Content-Type": "application/json",
      ...headersOfNew(nodeRequest(event).url, created),
    };
    return new HTTPResponse(created, { status: 201, headers });
  });

  app.mount("", byIdRoutes(table));

  return app;
}
