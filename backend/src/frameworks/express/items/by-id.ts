import { type Response, Router } from "express";
import { type EditorAnswer, editorOf } from "../../../features/item-routes/editor.ts";
import { Patch } from "../../../features/item-routes/merge-patch.ts";
import { readConditions } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Table } from "../../../store/store.ts";
import { valid } from "../body.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>): Router {
  const editor = editorOf(items, table);
  const router = Router({ caseSensitive: true, strict: true });

  router.get("/:id", async (req, res) => {
    send(res, await editor.read(idIn(req), readConditions(req)));
  });

  router.put("/:id", valid(NewItem), async (req, res) => {
    send(res, await editor.replace(idIn(req), req.body, readConditions(req)));
  });

  router.patch("/:id", valid(Patch), async (req, res) => {
    send(res, await editor.patch(idIn(req), req.body, readConditions(req)));
  });

  router.delete("/:id", async (req, res) => {
    send(res, await editor.remove(idIn(req), readConditions(req)));
  });

  return router;
}

const idIn = ({ params }: { params: object }) => (params as { id: string }).id;

function send(res: Response, { status, headers, body }: EditorAnswer): void {
  res.status(status).set(headers).send(body);
}
