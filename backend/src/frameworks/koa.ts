import Router from "@koa/router";
import Koa from "koa";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

export const createApp: CreateApp = ({ config, store, health }) => {
  const app = new Koa();
  app.silent = true;
  const router = new Router({ sensitive: true, strict: true });

  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { status, headers, body } = answerTo(error, ctx.req);
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    }
  });

  app.use((ctx, next) => {
    allowOrigin(ctx.req, ctx.res, config.corsOrigins);
    return next();
  });

  app.use((ctx, next) => {
    authenticate(ctx.req, config.apiTokens);
    return next();
  });

  router.get("/health", async (ctx) => {
    await health();
    ctx.body = { status: "ok" };
  });

  router.get("/items", async (ctx) => {
    const page = readPage(ctx.req);
    ctx.type = "json";
    ctx.body = await store.list(page);
  });

  router.post("/items", async (ctx) => {
    const creation = await readCreation(ctx.req, config.bodyLimitBytes);
    ctx.body = await store.create(creation);
    ctx.status = 201;
    ctx.type = "json";
  });

  for (const [path, allow] of routes) {
    router.options(path, (ctx) => {
      ctx.status = 204;
      ctx.set("Allow", allow);
    });
    router.all(path, () => {
      throw methodNotAllowed(allow);
    });
  }

  app.use(router.routes());
  app.use(() => {
    throw notFound();
  });

  return app.callback();
};
