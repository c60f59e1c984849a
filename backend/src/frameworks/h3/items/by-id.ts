import { getValidatedRouterParams, H3, HTTPResponse, noContent, readValidatedBody } from "h3";
import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import { jsonOnly, refuse } from "../../../core/frameworks/h3/connect.ts";
import { getConditions } from "../../../core/frameworks/h3/item-routes/conditions.ts";
import { IdParams } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export function byIdRoutes(table: Table<NewItem>) {
  const editor = createEditor(items, table);
  const app = new H3();

  app.get("/:id", async (event) => {
    const { id } = await getValidatedRouterParams(event, IdParams);
    const { headers, body } = await editor.read(id, getConditions(event));
    return new HTTPResponse(body, { status: body === null ? 304 : 200, headers });
  });

  app.put(
    "/:id",
    async (event) => {
      const { id } = await getValidatedRouterParams(event, IdParams);
      const item = await readValidatedBody(event, NewItem, { onError: refuse });
      const { headers, body } = await editor.replace(id, item, getConditions(event));
      return new HTTPResponse(body, { headers });
    },
    { middleware: [jsonOnly] },
  );

  app.patch(
    "/:id",
    async (event) => {
      const { id } = await getValidatedRouterParams(event, IdParams);
      const patch = await readValidatedBody(event, Patch, { onError: refuse });
      const { headers, body } = await editor.patch(id, patch, getConditions(event));
      return new HTTPResponse(body, { headers });
    },
    { middleware: [jsonOnly] },
  );

  app.delete("/:id", async (event) => {
    const { id } = await getValidatedRouterParams(event, IdParams);
    await editor.remove(id, getConditions(event));
    return noContent();
  });

  return app;
}
