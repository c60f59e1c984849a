import { readConfig } from "./config.ts";
import { toListener } from "./core/connect.ts";
import { start } from "./core/start.ts";
import { features } from "./features.ts";
import { webhookHandlers } from "./webhooks/handlers.ts";

// The app comes last: what connects the framework must be there before a router is created.

import { createApp } from "./app.ts";

start({
  readConfig,
  createApp,
  toListener,
  features,
  webhookHandlers,
});
