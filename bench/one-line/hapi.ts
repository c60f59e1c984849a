import Hapi from "@hapi/hapi";
import { host, port } from "../address.ts";

const server = Hapi.server({ port, host });
server.route({ method: "GET", path: "/health", handler: () => ({ status: "ok" }) });
server.start();
