import { Elysia } from "elysia";
import type { CoreParts } from "../../../parts.ts";
import { publicRoute } from "../public.ts";
import { nodeRequest } from "../request.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts) {
  const app = new Elysia({ prefix: "/webhooks" });
  const options = {
    parse: "none" as const,
    bodyLimit: webhooks.bodyLimitBytes,
    ...publicRoute,
  };

  for (const source of webhooks.sources)
    app.post(
      `/${source}`,
      async ({ request, set }) => {
        const { status, body } = await webhooks.receive(source, nodeRequest(request));
        set.status = status;
        return body;
      },
      options,
    );

  return app;
}
