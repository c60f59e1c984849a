import { Router } from "express";
import type { Parts } from "../../../config.ts";
import { headersOfNew } from "../../../core/features/item-routes/etag.ts";
import { valid } from "../../../core/frameworks/express/connect.ts";
import { readCreation, readPage } from "../../../core/resource.ts";
import { items, NewItem } from "../../../items/item.ts";
import { byIdRoutes } from "./by-id.ts";

/** `/items`. What the table returns is JSON text already. */
export function itemRoutes({ store }: Parts): Router {
  const table = store.table(items);
  const router = Router();

  router.get("/", async (req, res) => {
    const page = readPage(req);
    res.type("json").send(await table.list(page));
  });

  router.post("/", valid(NewItem), async (req, res) => {
    const item = await table.create(req.body, readCreation(req));
    res.set(headersOfNew(req.originalUrl, item));
    res.status(201).type("json").send(item);
  });

  router.use(byIdRoutes(table));

  return router;
}
