import Router from "@koa/router";
import { bodyLimit, unreadBody } from "../../../http/routes.ts";
import type { CoreParts } from "../../../start.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts): Router {
  const router = new Router({ prefix: "/webhooks", sensitive: true });
  // Not with `use`: in the router that this one is mounted in, that would apply to all routes below /webhooks.
  const before = [bodyLimit(webhooks.bodyLimitBytes), unreadBody, isPublic];

  for (const source of webhooks.sources)
    router.post(`/${source}`, ...before, async (ctx) => {
      const { status, body } = await webhooks.receive(source, ctx.req);
      ctx.status = status;
      ctx.body = body;
    });

  return router;
}
