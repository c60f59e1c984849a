import type { RequestListener } from "node:http";
import type { Config } from "./config.ts";
import type { Store } from "./store/store.ts";

/** What an app is made of; `health` throws while the server takes no traffic. */
export type Parts = { config: Config; store: Store; health(): Promise<void> };

/** The seam: in any framework, an app is a function from the parts to a Node request listener. */
export type CreateApp = (parts: Parts) => RequestListener | Promise<RequestListener>;

/** What each route allows: the answer to OPTIONS, and what a 405 tells. */
export const routes = new Map([
  ["/health", "GET, HEAD, OPTIONS"],
  ["/items", "GET, HEAD, POST, OPTIONS"],
]);
