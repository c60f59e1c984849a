import type { Feature } from "../../start.ts";
import { readWebhookConfig, type WebhookConfig } from "./config.ts";
import { postgres } from "./inbox/postgres.ts";
import { sqlite } from "./inbox/sqlite.ts";
import type { Handlers } from "./sources.ts";
import { createWebhooks, type Webhooks } from "./webhooks.ts";
import { failAttempt } from "./worker.ts";

declare module "../../start.ts" {
  interface Settings {
    webhooks: WebhookConfig;
  }
  interface CoreParts<Config extends Settings = Settings> {
    webhooks: Webhooks;
  }
  interface Program<Config extends Settings, App = unknown> {
    webhookHandlers(parts: CoreParts<Config>, app: App): Handlers;
  }
}

/** Signed events of other services are stored, and handled until that succeeds. */
export const webhooks: Feature = {
  readSettings: (read) => ({ webhooks: readWebhookConfig(read) }),
  createParts: (config, store) => ({ webhooks: createWebhooks(config.webhooks, store) }),
  createWorker(parts, program, app) {
    const handlers = program.webhookHandlers(parts, app);
    const { start, stop } = parts.webhooks;
    return { start: () => start(handlers), stop, hasCaused: failAttempt };
  },
  sqlite,
  postgres,
};
