import type { RequestListener } from "node:http";
import type { Config } from "./config.ts";
import type { Store } from "./store/store.ts";

/** What an app is made of. */
export interface Parts {
  config: Config;
  store: Store;
  /** Throws while the server does not take traffic. */
  health(): Promise<void>;
}

/** The seam: in any framework, an app is a function from the parts to a Node request listener. */
export type CreateApp = (parts: Parts) => RequestListener | Promise<RequestListener>;
