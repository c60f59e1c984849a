import Router from "@koa/router";
import { bodyLimit, unreadBody } from "../../../http/body.ts";
import type { CoreParts } from "../../../parts.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts): Router {
  const router = new Router({ prefix: "/webhooks", sensitive: true });
  router.use(bodyLimit(webhooks.bodyLimitBytes), unreadBody);
  router.use(isPublic);

  for (const source of webhooks.sources)
    router.post(`/${source}`, async (ctx) => {
      const { status, body } = await webhooks.receive(source, ctx.req);
      ctx.status = status;
      ctx.body = body;
    });

  return router;
}
