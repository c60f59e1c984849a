import type { CoreParts } from "../../../start.ts";
import { publicConfig } from "../public.ts";
import type { FastifyPluginAsyncStandard } from "../schema.ts";

/** `/webhooks`: a route for each source. */
export const webhookRoutes: FastifyPluginAsyncStandard<{ parts: CoreParts }> = async (app, { parts: { webhooks } }) => {
  // The raw bytes are needed: they are signed.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const options = {
    bodyLimit: webhooks.bodyLimitBytes,
    config: publicConfig,
  };

  for (const source of webhooks.sources)
    app.post(`/${source}`, options, async (request, reply) => {
      const { status, body } = await webhooks.receive(source, request.raw);
      return reply.code(status).send(body);
    });
};
