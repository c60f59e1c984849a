import { H3 } from "h3";
import type { Parts } from "../../config.ts";
import { jsonBody, sendProblem } from "../../core/frameworks/h3/connect.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  // The server logs failures, so h3 is silent.
  const app = new H3({ onError: sendProblem, silent: true });

  // Lets handlers read the body more than once, within the limits of their route.
  app.use(jsonBody);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.mount("", routes(parts));

  return app;
}
