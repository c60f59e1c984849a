import { type RequestHandler, Router } from "express";
import { bodyLimit } from "../../../http/body.ts";
import type { CoreParts } from "../../../parts.ts";
import { isPublic } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts): Router {
  const router = Router();
  const before: RequestHandler[] = [bodyLimit(webhooks.bodyLimitBytes)];
  before.push(isPublic);

  for (const source of webhooks.sources)
    router.post(`/${source}`, ...before, async (req, res) => {
      const { status, body } = await webhooks.receive(source, req);
      res.status(status).json(body);
    });

  return router;
}
