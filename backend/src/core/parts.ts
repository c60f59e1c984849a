import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "./config.ts";
import { createHealthCheck } from "./health.ts";
import { AppServer } from "./http/app-server.ts";
import type { Route } from "./http/routes.ts";
import { createStore, type StoreFeature } from "./store/open.ts";

type Store = ReturnType<typeof createStore>;

/** What an app gets from the core. Features add theirs. */
export interface CoreParts<Config extends Settings = Settings> {
  config: Config;
  store: Store;
  /** Throws while the server cannot take traffic. */
  health(): Promise<void>;
  /** For packages that need a server, like `new WebSocketServer({ server })`. */
  server: AppServer;
}

/** Creates the parts. The store is not open yet: an app first names its tables. */
export function createParts<Config extends Settings>(
  config: Config,
  features: (StoreFeature & { createParts?(config: Settings, store: Store): object })[],
): CoreParts<Config> {
  const store = createStore(config, features);
  const parts = { config, store, health: createHealthCheck(store), server: new AppServer() };
  return Object.assign(parts, ...features.map((feature) => feature.createParts?.(config, store)));
}

/** What is started: an app and its settings. Features add what they need from `main.ts`. */
export interface Program<Config extends Settings> {
  readConfig(env: NodeJS.ProcessEnv): Config;
  createListener(parts: CoreParts<Config>): AppListener | Promise<AppListener>;
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
