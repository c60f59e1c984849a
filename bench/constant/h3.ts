import { H3, HTTPResponse, toNodeHandler } from "h3";
import { page, serve } from "./serve.ts";

const headers = { "Content-Type": "application/json" };
const app = new H3().get("/items", () => new HTTPResponse(page, { headers }));
serve(toNodeHandler(app));
