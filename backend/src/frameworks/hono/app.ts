import { Hono } from "hono";
import type { ApplyGlobalResponse } from "hono/client";
import type { Parts } from "../../config.ts";
import { type Failures, jsonBody, sendProblem } from "../../core/frameworks/hono/connect.ts";
import { notFound } from "../../core/problem.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = new Hono();

  app.onError(sendProblem);
  app.notFound((c) => sendProblem(notFound(), c));

  // c.req.json() reads what was sent within the limits of its route, whatever its type.
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
