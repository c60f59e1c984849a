import type { Settings } from "./config.ts";
import { createHealthCheck } from "./health.ts";
import { type AppListener, AppServer } from "./http/app-server.ts";
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
