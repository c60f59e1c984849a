import { bodyParser } from "@koa/bodyparser";
import Router from "@koa/router";
import Koa from "koa";
import logger from "koa-pino-logger";
import { ZodError } from "zod";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";
import { listQuery, newItem } from "./schema.ts";

const app = new Koa();
const router = new Router();

app.use(logger());

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    ctx.status = 400;
    ctx.body = { errors: error.issues };
  }
});

app.use(bodyParser());

router.get("/health", async (ctx) => {
  await ping();
  ctx.body = { status: "ok" };
});

router.get("/items", async (ctx) => {
  const { cursor } = listQuery.parse(ctx.query);
  ctx.body = await listItems(cursor);
});

router.post("/items", async (ctx) => {
  const { name } = newItem.parse(ctx.request.body);
  ctx.status = 201;
  ctx.body = await createItem(name);
});

app.use(router.routes()).use(router.allowedMethods());
app.listen(port, host);
