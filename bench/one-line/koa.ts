import Router from "@koa/router";
import Koa from "koa";
import { host, port } from "../address.ts";

const router = new Router();
router.get("/health", (ctx) => {
  ctx.body = { status: "ok" };
});
new Koa().use(router.routes()).listen(port, host);
