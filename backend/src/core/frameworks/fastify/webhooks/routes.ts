import type { CoreParts } from "../../../parts.ts";
import { publicRoute } from "../public.ts";
import type { Plugin } from "../schema.ts";

/** `/webhooks`: a route for each source. */
export const webhookRoutes: Plugin<{ parts: CoreParts }> = async (app, { parts: { webhooks } }) => {
  // The raw bytes are needed: they are signed.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const options = {
    bodyLimit: webhooks.bodyLimitBytes,
    ...publicRoute,
  };

  for (const source of webhooks.sources)
    app.post(`/${source}`, options, async (request, reply) => {
      const { status, body } = await webhooks.receive(source, request.raw);
      return reply.code(status).send(body);
    });
};
