import { H3 } from "h3";
import type { Parts } from "../../config.ts";
import { findCause, jsonBody, nodeRequest } from "../../core/frameworks/h3/connect.ts";
import { toAnswer } from "../../core/http/response.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = new H3({
    silent: true,
    onError: (error, event) => {
      // h3 answers what is no failure, like a redirect.
      if (error.status < 400 && !error.unhandled) return undefined;
      const { status, headers, body } = toAnswer(findCause(error, event), nodeRequest(event));
      // As h3 does: a failure has only the headers that are meant for it.
      return new Response(body, { status, headers: [...event.res.errHeaders, ...Object.entries(headers)] });
    },
  });

  app.use(jsonBody);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.mount("", routes(parts));

  return app;
}
