import type { RequestListener } from "node:http";
import { Elysia } from "elysia";
import { toNodeHandler } from "srvx/node";
import { page, serve } from "./serve.ts";

const headers = { "Content-Type": "application/json" };
const app = new Elysia().get("/items", () => new Response(page, { headers }));
serve(toNodeHandler(app.fetch) as RequestListener);
