import { type Response, Router } from "express";
import { createEditor, type EditorResult } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { valid } from "../../../core/frameworks/express/connect.ts";
import { readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>): Router {
  const editor = createEditor(items, table);
  const router = Router();

  router.get("/:id", async (req, res) => {
    send(res, await editor.read(req.params.id, readConditions(req)));
  });

  router.put("/:id", valid(NewItem), async (req, res) => {
    send(res, await editor.replace(req.params.id, req.body, readConditions(req)));
  });

  router.patch("/:id", valid(Patch), async (req, res) => {
    send(res, await editor.patch(req.params.id, req.body, readConditions(req)));
  });

  router.delete("/:id", async (req, res) => {
    send(res, await editor.remove(req.params.id, readConditions(req)));
  });

  return router;
}

/** Sends what the editor has answered: 304 and 204 have no body. */
function send(res: Response, { status, headers, body }: EditorResult): void {
  res.status(status).set(headers).send(body);
}
