import { H3, serve } from "h3";
import { host, port } from "../address.ts";

const app = new H3().get("/health", () => ({ status: "ok" }));
serve(app, { port, hostname: host });
