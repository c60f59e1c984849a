import type { FastifyReply, FastifyRequest } from "fastify";
import { type EditorAnswer, editorOf } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import type { Plugin } from "../../../core/frameworks/fastify/schema.ts";
import { readJson } from "../../../core/http/body.ts";
import { readConditions } from "../../../core/input.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, NewItem } from "../../../items/item.ts";

interface ById {
  Params: { id: string };
}

interface Replacing extends ById {
  Body: NewItem;
}

/** `/items/:id` */
export const byIdRoutes: Plugin<{ table: Table<NewItem> }> = async (app, { table }) => {
  const editor = editorOf(items, table);
  app.addContentTypeParser("application/merge-patch+json", async ({ raw }: FastifyRequest) => readJson(raw));

  app.get<ById>("/:id", async (request, reply) => {
    return send(reply, await editor.read(request.params.id, readConditions(request.raw)));
  });

  app.put<Replacing>("/:id", { schema: { body: NewItem } }, async (request, reply) => {
    return send(reply, await editor.replace(request.params.id, request.body, readConditions(request.raw)));
  });

  app.patch<ById & { Body: Record<string, unknown> }>(
    "/:id",
    { schema: { body: MergePatch } },
    async (request, reply) => {
      return send(reply, await editor.patch(request.params.id, request.body, readConditions(request.raw)));
    },
  );

  const withoutBodies: Plugin = async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));

    app.delete<ById>("/:id", async (request, reply) => {
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
