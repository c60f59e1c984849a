import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import type { FastifyPluginAsyncStandard } from "../../../core/frameworks/fastify/schema.ts";
import { IdParams, readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export const byIdRoutes: FastifyPluginAsyncStandard<{ table: Table<NewItem> }> = async (app, { table }) => {
  const editor = createEditor(items, table);

  app.get("/:id", { schema: { params: IdParams } }, async (request, reply) => {
    const { headers, body } = await editor.read(request.params.id, readConditions(request.raw));
    reply.header("ETag", headers.ETag);
    return body === null ? reply.code(304).send() : reply.type("application/json").send(body);
  });

  app.put("/:id", { schema: { params: IdParams, body: NewItem } }, async (request, reply) => {
    const { headers, body } = await editor.replace(request.params.id, request.body, readConditions(request.raw));
    return reply.header("ETag", headers.ETag).type("application/json").send(body);
  });

  app.patch("/:id", { schema: { params: IdParams, body: MergePatch } }, async (request, reply) => {
    const { headers, body } = await editor.patch(request.params.id, request.body, readConditions(request.raw));
    return reply.header("ETag", headers.ETag).type("application/json").send(body);
  });

  app.delete("/:id", { schema: { params: IdParams } }, async (request, reply) => {
    await editor.remove(request.params.id, readConditions(request.raw));
    return reply.code(204).send();
  });
};
