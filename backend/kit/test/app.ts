import { after } from "node:test";
import type { Parts } from "../../src/config.ts";
import { load } from "../project.ts";
import { apiTokens } from "../suite/auth/tokens.ts";
import { corsOrigins } from "../suite/cors/origins.ts";
import { webhookSecrets } from "../suite/webhooks/senders.ts";
import { everyDatabase } from "./databases.ts";

/** The app itself, on an empty database: without the server around it, and so without its checks and limits. */
export async function openApp<App>(createApp: (parts: Parts) => App | Promise<App>): Promise<App> {
  const { readConfig } = await load<typeof import("../../src/config.ts")>("src/config.ts");
  const { createParts } = await load<typeof import("../../src/core/start.ts")>("src/core/start.ts");
  const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");
  const [newDatabase] = (await everyDatabase()).values();
  const config = readConfig({
    ...apiTokens,
    ...corsOrigins,
    ...webhookSecrets,
    DATABASE_URL: await newDatabase?.(),
  });
  const parts = createParts(config, features);
  const { store } = parts;
  const app = await createApp(parts);
  await store.open();
  after(() => store.close());
  return app;
}
