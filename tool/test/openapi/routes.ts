/**
 * A route that declares all that its framework can express, as its documentation shows: `POST /search/{kind}`, where
 * `kind` is "a" or "b", with the query parameter `page` (a whole number from 1), a body `{ text }` of 1 to 50 characters,
 * and the answers 202 `{ text }` and 204. Where a route can say that it is no part of the API, `GET /hidden` does; where its
 * framework or a plugin of it has routes for WebSockets alone, `/chat` is one.
 */
export const declaring: Record<string, { imports: string; code: string; mount: string }> = {
  hono: {
    imports: `import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { answers } from "../core/http/routes.ts";`,
    code: `const Text = z.strictObject({ text: z.string().min(1).max(50) });

// As hono-openapi marks its middleware.
const openapi = Symbol("openapi");
const describeRoute = (spec: object) =>
  Object.assign(createMiddleware((_c, next) => next()), { [openapi]: { spec } });

export const search = new Hono();

search.post(
  "/search/:kind",
  describeRoute({ summary: "Finds texts", tags: ["texts"] }),
  zValidator("param", z.object({ kind: z.enum(["a", "b"]) })),
  zValidator("query", z.object({ page: z.coerce.number().int().min(1).optional() })),
  zValidator("json", Text),
  answers({ 202: Text, 204: undefined }),
  (c) => c.json(c.req.valid("json"), 202),
);`,
    mount: '      .route("/", search)',
  },
  express: {
    imports: `import { Router } from "express";
import { z } from "zod";
import { valid } from "../core/express/connect.ts";
import { answers } from "../core/http/routes.ts";`,
    code: `const Text = z.strictObject({ text: z.string().min(1).max(50) });

export const search = Router();

search.post("/search/:kind", valid(Text), answers({ 202: Text, 204: undefined }), (req, res) => {
  res.status(202).json(req.body);
});

// As \`search.ws("/chat", …)\` of express-ws adds it.
search.get("/chat/.websocket", (_req, _res, next) => next());`,
    mount: "  app.use(search);",
  },
  koa: {
    imports: `import Router from "@koa/router";
import { z } from "zod";
import { valid } from "../core/koa/connect.ts";
import { answers } from "../core/http/routes.ts";`,
    code: `const Text = z.strictObject({ text: z.string().min(1).max(50) });

export const search = new Router();

search.post("/search/:kind", valid(Text), answers({ 202: Text, 204: undefined }), (ctx) => {
  ctx.status = 202;
  ctx.body = ctx.request.body;
});`,
    mount: "  app.use(search.routes());",
  },
  fastify: {
    imports: `import type { FastifyPluginAsync } from "fastify";`,
    code: `export const search: FastifyPluginAsync = async (app) => {
  app.addSchema({
    $id: "text",
    type: "object",
    properties: { text: { type: "string", minLength: 1, maxLength: 50 } },
    required: ["text"],
    additionalProperties: false,
  });
  app.post(
    "/search/:kind",
    {
      schema: {
        summary: "Finds texts",
        tags: ["texts"],
        params: { type: "object", properties: { kind: { enum: ["a", "b"] } } },
        querystring: { type: "object", properties: { page: { type: "integer", minimum: 1 } } },
        body: { $ref: "text#" },
        response: { 202: { $ref: "text#" }, 204: { type: "null" } },
      },
    },
    async (request, reply) => reply.code(202).send(request.body),
  );
  app.get("/hidden", { schema: { hide: true } }, async () => ({}));
  app.get("/chat", { websocket: true }, async () => ({}));
};`,
    mount: "  app.register(search);",
  },
  elysia: {
    imports: `import { node as elysiaNode } from "@elysiajs/node";
import { Elysia, status, t } from "elysia";
import { node } from "../core/elysia/connect.ts";`,
    code: `const Text = t.Object({ text: t.String({ minLength: 1, maxLength: 50 }) }, { additionalProperties: false });

export const search = new Elysia({ adapter: node(elysiaNode()) })
  .model({ text: Text })
  .post("/search/:kind", ({ body }) => status(202, body), {
    params: t.Object({ kind: t.UnionEnum(["a", "b"]) }),
    query: t.Object({ page: t.Optional(t.Integer({ minimum: 1 })) }),
    body: "text",
    response: { 202: "text", 204: t.Void() },
    detail: { summary: "Finds texts", tags: ["texts"] },
  })
  .get("/hidden", () => ({}), { detail: { hide: true } })
  .ws("/chat", {});`,
    mount: "      .use(search)",
  },
  h3: {
    imports: `import { defineValidatedHandler, H3 } from "h3";
import { z } from "zod";`,
    code: `const Text = z.strictObject({ text: z.string().min(1).max(50) });

export const search = new H3();

const handler = defineValidatedHandler({
  validate: { body: Text, query: z.object({ page: z.coerce.number().int().min(1).optional() }) },
  meta: { answers: { 202: Text, 204: undefined }, openAPI: { summary: "Finds texts", tags: ["texts"] } },
  handler: async (event) => {
    event.res.status = 202;
    return event.req.json();
  },
});

search.post("/search/:kind", handler);`,
    mount: '  app.mount("/", search);',
  },
  hapi: {
    imports: `import type { Plugin } from "@hapi/hapi";
import Joi from "joi";`,
    code: `const Text = Joi.object({ text: Joi.string().min(1).max(50).required() });

export const search: Plugin<void> = {
  name: "search",
  register(server) {
    server.route({
      method: "POST",
      path: "/search/{kind}",
      options: {
        description: "Finds texts",
        tags: ["api", "texts"],
        validate: {
          params: Joi.object({ kind: Joi.string().valid("a", "b") }),
          query: Joi.object({ page: Joi.number().integer().min(1) }),
          payload: Text,
        },
        response: { status: { 202: Text, 204: false } },
      },
      handler: ({ payload }, h) => h.response(payload).code(202),
    });
  },
};`,
    mount: "  await server.register(search);",
  },
  nest: {
    imports: `import { Body, Controller, Get, HttpCode, Module, Param, Post, Query, SetMetadata } from "@nestjs/common";
import { IsIn, IsInt, IsOptional, IsString, Length, Min } from "class-validator";`,
    code: `class Text {
  @IsString()
  @Length(1, 50)
  text!: string;
}

class Kind {
  @IsIn(["a", "b"])
  kind!: string;
}

class Page {
  @IsOptional()
  @IsInt()
  @Min(1)
  page?: number;
}

// What @ApiTags() and @ApiOperation() of @nestjs/swagger set.
@Controller("search")
@SetMetadata("swagger/apiUseTags", ["texts"])
class SearchController {
  @Post(":kind")
  @HttpCode(202)
  @SetMetadata("swagger/apiOperation", { summary: "Finds texts" })
  search(@Param() _kind: Kind, @Query() _page: Page, @Body() text: Text): Text {
    return text;
  }
}

@Controller()
class HiddenController {
  // What @ApiExcludeEndpoint() of @nestjs/swagger sets.
  @Get("hidden")
  @SetMetadata("swagger/apiExcludeEndpoint", { disable: true })
  hidden() {}
}

@Controller("chat")
@SetMetadata("swagger/apiExcludeController", [true])
class ChatController {
  @Get()
  chat() {}
}

@Module({ controllers: [SearchController, HiddenController, ChatController] })
export class SearchModule {}`,
    mount: "    SearchModule,",
  },
};
