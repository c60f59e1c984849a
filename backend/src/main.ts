import { readConfig } from "./config.ts";
import { start } from "./core/start.ts";
import { features } from "./features.ts";
import { createListener } from "./listener.ts";
import { webhookHandlers } from "./webhooks/handlers.ts";

start({
  readConfig,
  createListener,
  features,
  webhookHandlers,
});
