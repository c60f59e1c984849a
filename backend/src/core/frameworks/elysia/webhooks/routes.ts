import { Elysia, status } from "elysia";
import type { CoreParts } from "../../../start.ts";
import { publicRoute, publicRoutes } from "../public.ts";
import { bodyLimit, nodeRequest } from "../request.ts";

/** `/webhooks`: a route for each source. */
export function webhookRoutes({ webhooks }: CoreParts) {
  const app = new Elysia({ prefix: "/webhooks" })
    .use(publicRoutes)
    // For the options of its routes.
    .use(bodyLimit);
  const options = {
    parse: "none" as const,
    bodyLimit: webhooks.bodyLimitBytes,
    ...publicRoute,
  };

  for (const source of webhooks.sources)
    app.post(
      `/${source}`,
      async ({ request }) => {
        const answer = await webhooks.receive(source, nodeRequest(request));
        return status(answer.status, answer.body);
      },
      options,
    );

  return app;
}
