import { type RequestListener, Server } from "node:http";

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
