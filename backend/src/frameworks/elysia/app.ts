import { Elysia } from "elysia";
import type { Parts } from "../../config.ts";
import { node, type WithProblems } from "../../core/frameworks/elysia/connect.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  return (
    // A client may use a short host, like "db": by default, Elysia expects one of at least four characters.
    new Elysia({ adapter: node(), handler: { standardHostname: false } })
      .get("/health", async () => {
        await parts.health();
        return { status: "ok" };
      })
      // Mount your routes below: then a typed client has them, too.
      .use(routes(parts))
  );
}

/** For a typed client: `treaty<App>("localhost:3000")`. */
export type App = WithProblems<ReturnType<typeof createApp>>;
