import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "./config.ts";
import type { Webhooks } from "./features/webhooks/webhooks.ts";
import type { Route } from "./http/routes.ts";
import type { Store } from "./store/store.ts";

/** What an app gets from the core. */
export interface Parts {
  config: Config;
  store: Store;
  /** Throws while the server cannot take traffic. */
  health(): Promise<void>;
  webhooks: Webhooks;
}

/** What the server needs from an app. */
export interface App {
  listener(req: IncomingMessage, res: ServerResponse): unknown;
  /** The routes of the framework's router. 405, `Allow`, limits and the route in the log follow from them. */
  routes: Route[];
  /** Runs the framework's own shutdown hooks. */
  close?(): unknown;
}

/** The interface of all frameworks: a function from the parts to a Node request listener and its routes. */
export type CreateApp = (parts: Parts) => App | Promise<App>;
