import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { headersOfNew } from "../../../features/item-routes/etag.ts";
import { readCreation, readPage } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import { valid } from "../body.ts";
import { byIdRoutes } from "./by-id.ts";

const json = { "Content-Type": "application/json" };

/** `/items` */
export function itemRoutes({ store }: Parts) {
  const table = store.table(items);
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.get("/", async (c) => {
    const page = readPage(c.env.incoming);
    return c.body(await table.list(page), 200, json);
  });

  app.post("/", valid(NewItem), async (c) => {
    const item = await table.create(c.req.valid("json"), readCreation(c.env.incoming));
    const headers = headersOfNew(c.env.incoming.url, item);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    return c.body(item, 201, json);
  });

  app.route("/", byIdRoutes(table));

  return app;
}
