import Fastify from "fastify";
import type { Parts } from "../../config.ts";
import { core, sendProblem, serverOptions, unknownPaths } from "../../core/frameworks/fastify/connect.ts";
import type { StandardSchemaTypeProvider } from "../../core/frameworks/fastify/schema.ts";
import { routes } from "./routes.ts";

export async function createApp(parts: Parts) {
  const app = Fastify(serverOptions(parts)).withTypeProvider<StandardSchemaTypeProvider>();

  // Awaited: the routes below need its hooks.
  await app.register(core);

  app.setErrorHandler(sendProblem);
  // Replace this line with your own `app.setNotFoundHandler(…)`: Fastify takes one only.
  app.register(unknownPaths);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.register(routes, { parts });

  return app;
}
