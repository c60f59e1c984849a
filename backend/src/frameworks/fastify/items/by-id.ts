import { createEditor } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import type { FastifyPluginAsyncStandard } from "../../../core/frameworks/fastify/schema.ts";
import { ConditionHeaders, IdParams, readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export const byIdRoutes: FastifyPluginAsyncStandard<{ table: Table<NewItem> }> = async (app, { table }) => {
  const editor = createEditor(items, table);
  const schema = { params: IdParams, headers: ConditionHeaders };

  app.get("/:id", { schema }, async (request, reply) => {
    const { headers, body } = await editor.read(request.params.id, readConditions(request.raw));
    reply.headers(headers);
    return body === null ? reply.code(304).send() : reply.code(200).send(body);
  });

  app.put("/:id", { schema: { ...schema, body: NewItem } }, async (request, reply) => {
    const { headers, body } = await editor.replace(request.params.id, request.body, readConditions(request.raw));
    return reply.code(200).headers(headers).send(body);
  });

  app.patch("/:id", { schema: { ...schema, body: Patch } }, async (request, reply) => {
    const { headers, body } = await editor.patch(request.params.id, request.body, readConditions(request.raw));
    return reply.code(200).headers(headers).send(body);
  });

  app.delete("/:id", { schema }, async (request, reply) => {
    await editor.remove(request.params.id, readConditions(request.raw));
    return reply.code(204).send();
  });
};
