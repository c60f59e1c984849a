import { serve } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { logger } from "hono/logger";
import { requestId } from "hono/request-id";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";
import { listQuery, newItem } from "./schema.ts";

const app = new Hono();

app.use(requestId());
app.use(logger());

app.get("/health", async (c) => {
  await ping();
  return c.json({ status: "ok" });
});

app.get("/items", zValidator("query", listQuery), async (c) => c.json(await listItems(c.req.valid("query").cursor)));

app.post("/items", zValidator("json", newItem), async (c) => c.json(await createItem(c.req.valid("json").name), 201));

app.onError((error, c) => {
  console.error(error);
  return c.json({ error: "Internal Server Error" }, 500);
});

serve({ fetch: app.fetch, port, hostname: host });
