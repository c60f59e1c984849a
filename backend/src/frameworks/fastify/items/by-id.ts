import type { FastifyReply } from "fastify";
import { createEditor, type EditorAnswer } from "../../../core/features/item-routes/editor.ts";
import { Patch } from "../../../core/features/item-routes/merge-patch.ts";
import type { FastifyPluginAsyncStandard } from "../../../core/frameworks/fastify/schema.ts";
import { IdParams, readConditions } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

/** `/items/:id` */
export const byIdRoutes: FastifyPluginAsyncStandard<{ table: Table<NewItem> }> = async (app, { table }) => {
  const editor = createEditor(items, table);

  app.get("/:id", { schema: { params: IdParams } }, async (request, reply) => {
    return send(reply, await editor.read(request.params.id, readConditions(request.raw)));
  });

  app.put("/:id", { schema: { params: IdParams, body: NewItem } }, async (request, reply) => {
    return send(reply, await editor.replace(request.params.id, request.body, readConditions(request.raw)));
  });

  app.patch("/:id", { schema: { params: IdParams, body: Patch } }, async (request, reply) => {
    return send(reply, await editor.patch(request.params.id, request.body, readConditions(request.raw)));
  });

  const withoutBodies: FastifyPluginAsyncStandard = async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));

    app.delete("/:id", { schema: { params: IdParams } }, async (request, reply) => {
      return send(reply, await editor.remove(request.params.id, readConditions(request.raw)));
    });
  };
  app.register(withoutBodies);
};

function send(reply: FastifyReply, { status, headers, body }: EditorAnswer) {
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
}
