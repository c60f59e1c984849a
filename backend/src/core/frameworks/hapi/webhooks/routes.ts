import type { Plugin, RouteOptions } from "@hapi/hapi";
import type { CoreParts } from "../../../start.ts";
import { publicRoute } from "../public.ts";

/** `/webhooks`: a route for each source. */
export const webhookRoutes: Plugin<CoreParts> = {
  name: "webhooks",
  register(server, { webhooks }) {
    const options: RouteOptions = {
      // The raw bytes are needed: they are signed.
      payload: { parse: false, output: "stream", override: "*/*", maxBytes: webhooks.bodyLimitBytes },
      ...publicRoute,
    };

    for (const source of webhooks.sources)
      server.route({
        method: "POST",
        path: `/${source}`,
        options,
        handler: async ({ raw }, h) => {
          const { status, body } = await webhooks.receive(source, raw.req);
          return h.response(body).code(status);
        },
      });
  },
};
