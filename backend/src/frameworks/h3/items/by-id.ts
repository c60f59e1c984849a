import { getRouterParam, H3, type H3Event, HTTPResponse, noContent, readValidatedBody } from "h3";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
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
    const { headers, body } = await editor.read(readId(event), getConditions(event));
    return new HTTPResponse(body, { status: body === null ? 304 : 200, headers });
  });

  app.put(
    "/:id",
    async (event) => {
      const item = await readValidatedBody(event, NewItem, invalid);
      const { headers, body } = await editor.replace(readId(event), item, getConditions(event));
      return new HTTPResponse(body, { status: 200, headers });
    },
    { middleware: [jsonOnly] },
  );

  app.patch(
    "/:id",
    async (event) => {
      const patch = await readValidatedBody(event, Patch, invalid);
      const { headers, body } = await editor.patch(readId(event), patch, getConditions(event));
      return new HTTPResponse(body, { status: 200, headers });
    },
    { middleware: [jsonOnly] },
  );

  app.delete("/:id", async (event) => {
    await editor.remove(readId(event), getConditions(event));
    return noContent();
  });

  return app;
}

const readId = (event: H3Event) => getRouterParam(event, "id") ?? "";
