import { H3 } from "h3";
import type { CoreParts } from "../../../start.ts";
import { nodeRequest } from "../connect.ts";
import { publicRoute } from "../public.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts) {
  const app = new H3();
  const meta = {
    bodyLimit: webhooks.bodyLimitBytes,
    ...publicRoute,
  };

  for (const source of webhooks.sources)
    app.post(
      `/${source}`,
      async (event) => {
        const { status, body } = await webhooks.receive(source, nodeRequest(event));
        event.res.status = status;
        return body;
      },
      { meta },
    );

  return app;
}
