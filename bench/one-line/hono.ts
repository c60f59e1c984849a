import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { host, port } from "../address.ts";

const app = new Hono().get("/health", (c) => c.json({ status: "ok" }));
serve({ fetch: app.fetch, port, hostname: host });
