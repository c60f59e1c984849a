import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { page, serve } from "./serve.ts";

const headers = { "Content-Type": "application/json" };
const app = new Hono().get("/items", (c) => c.body(page, 200, headers));
serve(getRequestListener(app.fetch));
