import type { RequestListener, Server } from "node:http";
import { ExpressAdapter } from "@nestjs/platform-express";

/** Express as Nest's platform, on a server that exists already: the one that a backend gives its app. */
export class ServerAdapter extends ExpressAdapter {
  constructor(
    express: RequestListener,
    private readonly server: Server,
  ) {
    super(express);
  }

  override initHttpServer(): void {
    this.setHttpServer(this.server.on("request", this.getInstance()));
  }
}
