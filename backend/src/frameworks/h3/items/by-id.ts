import { getRouterParam, H3, type H3Event, HTTPResponse, readValidatedBody } from "h3";
import { createEditor, type EditorAnswer } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { invalid, jsonOnly } from "../../../core/frameworks/h3/connect.ts";
import { getConditions } from "../../../core/frameworks/h3/item-routes/conditions.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);
  const app = new H3();

  app.get("/:id", async (event) => {
    return send(await editor.read(readId(event), getConditions(event)));
  });

  app.put(
    "/:id",
    async (event) => {
      const item = await readValidatedBody(event, NewItem, invalid);
      return send(await editor.replace(readId(event), item, getConditions(event)));
    },
    { middleware: [jsonOnly] },
  );

  app.patch(
    "/:id",
    async (event) => {
      const patch = await readValidatedBody(event, Patch, invalid);
      return send(await editor.patch(readId(event), patch, getConditions(event)));
    },
    { middleware: [jsonOnly] },
  );

  app.delete("/:id", async (event) => {
    return send(await editor.remove(readId(event), getConditions(event)));
  });

  return app;
}

const readId = (event: H3Event) => getRouterParam(event, "id") ?? "";

function send({ status, headers, body }: EditorAnswer): HTTPResponse {
  return new HTTPResponse(body, { status, headers });
}
