import { getValidatedQuery, H3, readValidatedBody } from "h3";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { getCreation, json, jsonOnly, refuse, refuseQuery } from "../../../core/frameworks/h3/connect.ts";
import { PageQuery } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);
  const app = new H3();

  app.get("/", async (event) => {
    const page = await getValidatedQuery(event, PageQuery, { onError: refuseQuery });
    return json(await table.list(page));
  });

  app.post(
    "/",
    async (event) => {
      const item = await readValidatedBody(event, NewItem, { onError: refuse });
      const created = await table.create(item, getCreation(event));
      return json(created, {
        status: 201,
        headers: headersOfNew(event.url.pathname, created),
      });
    },
    { middleware: [jsonOnly] },
  );

  app.mount("/", byIdRoutes(table));

  return app;
}
