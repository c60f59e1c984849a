import { Hono } from "hono";
import { bodyLimit } from "../../../http/routes.ts";
import type { CoreParts } from "../../../start.ts";
import { nodeRequest } from "../connect.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts) {
  const app = new Hono();

  for (const source of webhooks.sources) {
    const path = `/${source}`;
    app.post(path, isPublic);
    app.post(path, bodyLimit(webhooks.bodyLimitBytes), async (c) => {
      const { status, body } = await webhooks.receive(source, nodeRequest(c));
      return c.json(body, status);
    });
  }

  return app;
}
