import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "./config.ts";
import { createWebhooks, type Webhooks } from "./features/webhooks/webhooks.ts";
import { createHealthCheck } from "./health.ts";
import { AppServer } from "./http/app-server.ts";
import type { Route } from "./http/routes.ts";
import { createStore } from "./store/open.ts";

/** What an app gets from the core. */
export interface CoreParts<Config extends Settings = Settings> {
  config: Config;
  store: ReturnType<typeof createStore>;
  /** Throws while the server cannot take traffic. */
  health(): Promise<void>;
  /** For packages that need a server, like `new WebSocketServer({ server })`. */
  server: AppServer;
  webhooks: Webhooks;
}

/** Creates the parts. The store is not open yet: an app first names its tables. */
export function createParts<Config extends Settings>(config: Config): CoreParts<Config> {
  const store = createStore(config);
  return {
    config,
    store,
    health: createHealthCheck(store),
    server: new AppServer(),
    webhooks: createWebhooks(config.webhooks, store),
  };
}

/** What the server needs from an app. */
export interface AppListener {
  /** None if the framework itself listens to the parts' server. */
  listener?(req: IncomingMessage, res: ServerResponse): unknown;
  /** The routes of the framework's router. 405, `Allow`, limits and the route in the log follow from them. */
  routes: Route[];
  /** Runs the framework's own shutdown hooks. */
  close?(): unknown;
}
