import { getRouterParam, H3, HTTPResponse, noContent, readValidatedBody } from "h3";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { jsonOnly, refuse } from "../../../core/frameworks/h3/connect.ts";
import { getConditions } from "../../../core/frameworks/h3/item-routes/conditions.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);
  const app = new H3();

  app.get("/:id", async (event) => {
    const { body, ...answer } = await editor.read(getRouterParam(event, "id"), getConditions(event));
    return new HTTPResponse(body, answer);
  });

  app.put(
    "/:id",
    async (event) => {
      const item = await readValidatedBody(event, NewItem, { onError: refuse });
      const { headers, body } = await editor.replace(getRouterParam(event, "id"), item, getConditions(event));
      return new HTTPResponse(body, { headers });
    },
    { middleware: [jsonOnly] },
  );

  app.patch(
    "/:id",
    async (event) => {
      const patch = await readValidatedBody(event, MergePatch, { onError: refuse });
      const { headers, body } = await editor.patch(getRouterParam(event, "id"), patch, getConditions(event));
      return new HTTPResponse(body, { headers });
    },
    { middleware: [jsonOnly] },
  );

  app.delete("/:id", async (event) => {
    await editor.remove(getRouterParam(event, "id"), getConditions(event));
    return noContent();
  });

  return app;
}
