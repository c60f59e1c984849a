import { Hono } from "hono";
import type { ApplyGlobalResponse } from "hono/client";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { answerTo } from "../../core/failure.ts";
import { jsonBody, nodeRequest } from "../../core/frameworks/hono/body.ts";
import type { Failures } from "../../core/frameworks/hono/json.ts";
import type { Parts } from "../../parts.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = new Hono();

  app.onError((error, c) => {
    const { status, headers, body } = answerTo(error, nodeRequest(c));
    return c.body(body, status as ContentfulStatusCode, headers);
  });

  app.use(jsonBody);

  return (
    app
      .get("/health", async (c) => {
        await parts.health();
        return c.json({ status: "ok" });
      })
      // Mount your routes below: then a typed client has them, too.
      .route("/", routes(parts))
  );
}

/** For a typed client: `hc<AppType>("http://localhost:3000")`. */
export type AppType = ApplyGlobalResponse<ReturnType<typeof createApp>, Failures>;
