import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from "node:http";
import type { Route } from "./routes.ts";

/** What the server needs from an app. */
export interface AppListener {
  /** None if the framework itself listens to the parts' server. */
  listener?(req: IncomingMessage, res: ServerResponse): unknown;
  /** The routes of the framework's router. 405, `Allow`, limits and the route in the log follow from them. */
  routes: Route[];
  /** Runs the framework's own shutdown hooks. */
  close?(): unknown;
}

/**
 * The server that an app sees, for packages that need one. It never listens: the server around it passes requests and
 * upgrades to its listeners. As on plain Node, a package may put its own listener in place of the app's.
 */
export class AppServer extends Server {
  /** Calls the app. */
  handle: RequestListener = () => {};

  constructor() {
    super();
    this.on("request", (req, res) => this.handle(req, res));
  }
}
