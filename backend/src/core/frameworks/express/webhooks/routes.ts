import { Router } from "express";
import { bodyLimit, unreadBody } from "../../../http/routes.ts";
import type { CoreParts } from "../../../start.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(bodyLimit(webhooks.bodyLimitBytes), unreadBody);
  router.use(isPublic);

  for (const source of webhooks.sources)
    router.post(`/${source}`, async (req, res) => {
      const { status, body } = await webhooks.receive(source, req);
      res.status(status).json(body);
    });

  return router;
}
