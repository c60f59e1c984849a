import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/hello.controller.ts",
    code: `import { Body, Controller, Get, NotFoundException, Param, Post } from "@nestjs/common";
import * as v from "valibot";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });
type Greeting = v.InferOutput<typeof Greeting>;

@Controller("hello")
export class HelloController {
  @Get(":name")
  greet(@Param("name") name: string) {
    if (name === "nobody") throw new NotFoundException("Nobody has this name.");
    return { hello: name };
  }

  @Post()
  create(@Body({ schema: Greeting }) greeting: Greeting) {
    return greeting;
  }
}
`,
    module: {
      file: "src/hello/hello.module.ts",
      code: `import { Module } from "@nestjs/common";
import { HelloController } from "./hello.controller.ts";

@Module({
  controllers: [HelloController],
})
export class HelloModule {}
`,
    },
    mount: `import { HelloModule } from "./hello/hello.module.ts";

    // in the imports of AppModule
    HelloModule,
`,
  },
  everywhere: {
    code: `  app.use((_req: Request, res: Response, next: NextFunction) => {
    res.set("X-Boat", "dory");
    next();
  });
`,
    above: "return app;",
    imports: 'import type { NextFunction, Request, Response } from "express";',
  },
  raw: [
    "A guard for all routes (`APP_GUARD`) also guards `/health`: have it let that path pass.",
    'Injection, DTOs of `class-validator` with a global `ValidationPipe`, guards, interceptors, exception filters, middleware and shutdown hooks work as in any Nest app; a `Problem` is an `HttpException` for them; `new Logger("…")` writes to the log.',
    "`@RawBody()` is the raw bytes of JSON; `readBody(req)` from `src/core/http/request.ts` returns those of a body of any type.",
    "`@BodyLimit(5_000_000)` from `src/core/nest/request.ts` allows a larger body, `@HandlerTimeout(60_000)` more time until a route begins to answer.",
  ],
  declares:
    "`@Body({ schema: … })`, `@Query(…)`, `@Param(…)`, DTOs with the decorators of `class-validator`, also as the return type of a method, and `@HttpCode(…)`",
  isPublic:
    "`@Public()` from `src/core/nest/public.ts`, at a method or a controller, makes a route public: it needs no token.",
  caller: "`@Caller()` (from `src/core/nest/public.ts`) at a parameter",
  sockets: "gateways, as Nest's documentation says; `app.getHttpServer()` is `parts.server`.",
  inTests:
    "`app.get(…)` of its services, or supertest after `await app.init()`. `openApp(async (parts) => …)` passes the parts that a `Test.createTestingModule({ imports: [AppModule.forRoot(parts)] })` of `@nestjs/testing` needs",
};
