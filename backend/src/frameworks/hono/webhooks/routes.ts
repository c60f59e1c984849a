import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "../../../http/body.ts";
import type { Parts } from "../../../parts.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: Parts) {
  const app = new Hono<{ Bindings: HttpBindings }>();

  for (const source of webhooks.sources) {
    const path = `/${source}`;
    app.post(path, isPublic);
    app.post(path, bodyLimit(webhooks.bodyLimitBytes), async (c) => {
      const { status, body } = await webhooks.receive(source, c.env.incoming);
      return c.json(body, status);
    });
  }

  return app;
}
