import Router from "@koa/router";
import Koa from "koa";
import { page, serve } from "./serve.ts";

const router = new Router();
router.get("/items", (ctx) => {
  ctx.type = "json";
  ctx.body = page;
});
serve(new Koa().use(router.routes()).callback());
