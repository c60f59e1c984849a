import type { FastifyReply, FastifyRequest } from "fastify";
import { type EditorAnswer, editorOf } from "../../../features/item-routes/editor.ts";
import { Patch } from "../../../features/item-routes/merge-patch.ts";
import { readJson } from "../../../http/body.ts";
import { readConditions } from "../../../input.ts";
import { items, NewItem } from "../../../items/item.ts";
import type { Table } from "../../../store/store.ts";
import type { Plugin } from "../schema.ts";

type ById = { id: string };

/** `/items/:id` */
export const byIdRoutes: Plugin<{ table: Table<NewItem> }> = async (app, { table }) => {
  const editor = editorOf(items, table);
  app.addContentTypeParser("application/merge-patch+json", async ({ raw }: FastifyRequest) => readJson(raw));

  app.get("/:id", async ({ params, raw }, reply) => {
    return send(reply, await editor.read((params as ById).id, readConditions(raw)));
  });

  app.put("/:id", { schema: { body: NewItem } }, async ({ params, body, raw }, reply) => {
    return send(reply, await editor.replace((params as ById).id, body, readConditions(raw)));
  });

  app.patch("/:id", { schema: { body: Patch } }, async ({ params, body, raw }, reply) => {
    return send(reply, await editor.patch((params as ById).id, body, readConditions(raw)));
  });

  app.register(async (bodiless) => {
    bodiless.removeAllContentTypeParsers();
    bodiless.addContentTypeParser("*", (_request, _payload, done) => done(null));

    bodiless.delete("/:id", async ({ params, raw }, reply) => {
      return send(reply, await editor.remove((params as ById).id, readConditions(raw)));
    });
  });
};

function send(reply: FastifyReply, { status, headers, body }: EditorAnswer) {
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
}
