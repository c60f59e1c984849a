import { after } from "node:test";
import type { Parts } from "../../src/config.ts";
import { createListener } from "../listener.ts";
import { findFramework, load } from "../project.ts";
import { apiTokens } from "../suite/auth/tokens.ts";
import { corsOrigins } from "../suite/cors/origins.ts";
import { webhookSecrets } from "../suite/webhooks/senders.ts";
import { everyDatabase } from "./databases.ts";

/** The app itself, on an empty database: without the server around it, and so without its checks and limits. */
export async function openApp<App>(createApp: (parts: Parts) => App | Promise<App>): Promise<App> {
  const parts = await createTestParts();
  const app = await createApp(parts);
  await parts.store.open();
  after(async () => {
    await close(app as Closable);
    await parts.store.close();
  });
  return app;
}

/** Fastify and Nest have `close`, hapi and Elysia `stop`: it calls the hooks that are for the end. */
interface Closable {
  close?(): Promise<void>;
  stop?(): Promise<void>;
}

async function close(app: Closable): Promise<void> {
  await (app.close ?? app.stop)?.call(app);
}

/** The app in the server around it, as clients see it, on an empty database; returns its URL. Nothing works in the background. */
export async function serve(): Promise<string> {
  const { createGuards } = await load<typeof import("../../src/core/start.ts")>("src/core/start.ts");
  const { createHttpServer } = await load<typeof import("../../src/core/http/server.ts")>("src/core/http/server.ts");
  const { logging } = await load<typeof import("../../src/core/log.ts")>("src/core/log.ts");
  const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");
  const parts = await createTestParts({ LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn" });
  logging.level = parts.config.logLevel;
  const app = await createListener(parts);
  await parts.store.open();
  const server = createHttpServer(app, parts.config, parts.server, createGuards(features, app, parts));
  after(async () => {
    await server.drain();
    await Promise.all([app.close?.(), server.endUpgrades()]);
    await parts.store.close();
  });
  return `http://127.0.0.1:${await server.listen()}`;
}

async function createTestParts(env: NodeJS.Dict<string> = {}): Promise<Parts> {
  const { readConfig } = await load<typeof import("../../src/config.ts")>("src/config.ts");
  const { createParts } = await load<typeof import("../../src/core/start.ts")>("src/core/start.ts");
  const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");
  const [newDatabase] = (await everyDatabase()).values();
  const config = readConfig({
    ...apiTokens,
    ...corsOrigins,
    ...webhookSecrets,
    FRAMEWORK: findFramework(),
    DATABASE_URL: await newDatabase?.(),
    PORT: "0",
    ...env,
  });
  return createParts(config, features);
}
