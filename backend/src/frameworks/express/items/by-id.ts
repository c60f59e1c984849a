import { Router } from "express";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/express/connect.ts";
import { readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>): Router {
  const editor = createEditor(items, table);
  const router = Router();

  router.get("/:id", async (req, res) => {
    const { status, headers, body } = await editor.read(req.params.id, readConditions(req));
    res.status(status).set(headers).send(body);
  });

  router.put("/:id", valid(NewItem), async (req, res) => {
    const { headers, body } = await editor.replace(req.params.id, req.body, readConditions(req));
    res.set(headers).send(body);
  });

  router.patch("/:id", valid(MergePatch), async (req, res) => {
    const { headers, body } = await editor.patch(req.params.id, req.body, readConditions(req));
    res.set(headers).send(body);
  });

  router.delete("/:id", async (req, res) => {
    await editor.remove(req.params.id, readConditions(req));
    res.status(204).end();
  });

  return router;
}
