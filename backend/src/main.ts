// First: it makes paths exact, also in a router that a file creates when it is imported.
import "./core/connect.ts";

import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { toListener } from "./core/connect.ts";
import { start } from "./core/start.ts";
import { features } from "./features.ts";
import { webhookHandlers } from "./webhooks/handlers.ts";

// Listens on PORT, until a signal stops it.
start({
  readConfig,
  createApp,
  toListener,
  features,
  webhookHandlers,
});
