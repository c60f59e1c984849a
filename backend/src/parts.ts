import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "./config.ts";
import type { Webhooks } from "./features/webhooks/webhooks.ts";
import type { Route } from "./http/routes.ts";
import type { Store } from "./store/store.ts";

/** What an app is made of. */
export interface Parts {
  config: Config;
  store: Store;
  /** Throws while the server takes no traffic. */
  health(): Promise<void>;
  webhooks: Webhooks;
}

/** What an app is to the server around it. */
export interface App {
  listener(req: IncomingMessage, res: ServerResponse): unknown;
  /** What the framework's router knows. 405, `Allow`, limits and the route in the log follow from it. */
  routes: Route[];
  /** Runs the framework's own hooks for the end. */
  close?(): unknown;
}

/** The seam: in any framework, an app is a function from the parts to a Node request listener and its routes. */
export type CreateApp = (parts: Parts) => App | Promise<App>;
