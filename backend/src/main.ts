import { readConfig } from "./config.ts";
import { toListener } from "./core/connect.ts";
import { start } from "./core/start.ts";
import { features } from "./features.ts";
import { webhookHandlers } from "./webhooks/handlers.ts";

// Imported after what connects the framework: a router may be created when the file that contains it is imported.

import { createApp } from "./app.ts";

start({
  readConfig,
  createApp,
  toListener,
  features,
  webhookHandlers,
});
