import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/note.dto.ts": `import { IsString, Length } from "class-validator";

export class NoteDto {
  @IsString()
  @Length(1, 50)
  text!: string;
}
`,
    "src/extras/extras.service.ts": `import { Injectable, Logger, type OnApplicationShutdown } from "@nestjs/common";
import { ItemsService } from "../items/items.service.ts";

@Injectable()
export class ExtrasService implements OnApplicationShutdown {
  private readonly logger = new Logger(ExtrasService.name);

  constructor(private readonly items: ItemsService) {}

  greet(name: string) {
    return this.items ? { name } : {};
  }

  onApplicationShutdown(signal?: string) {
    this.logger.log(signal === "SIGTERM" ? "closed" : \`closed without \${signal}\`);
  }
}
`,
    "src/extras/plugin.interceptor.ts": `import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common";
import type { Response } from "express";

@Injectable()
export class PluginInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    context.switchToHttp().getResponse<Response>().set("x-plugin", "yes");
    return next.handle();
  }
}
`,
    "src/extras/wrap.interceptor.ts": `import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common";
import type { Request } from "express";
import { map } from "rxjs";

@Injectable()
export class WrapInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const isWrapped = context.switchToHttp().getRequest<Request>().get("x-wrapped");
    return next.handle().pipe(map((data) => (isWrapped ? { data } : data)));
  }
}
`,
    "src/extras/moved.filter.ts": `import { type ArgumentsHost, Catch, type ExceptionFilter } from "@nestjs/common";
import type { Response } from "express";

export class Moved extends Error {}

@Catch(Moved)
export class MovedFilter implements ExceptionFilter {
  catch(_error: Moved, host: ArgumentsHost) {
    host.switchToHttp().getResponse<Response>().status(410).json({ message: "it moved" });
  }
}
`,
    "src/extras/filtered.controller.ts": `import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  HttpStatus,
  Injectable,
  Post,
  Query,
  UseFilters,
} from "@nestjs/common";
import { BaseExceptionFilter, HttpAdapterHost } from "@nestjs/core";
import { type Page, PageQuery } from "../core/resource.ts";
import { NewItem } from "../items/item.ts";

@Catch()
@Injectable()
class EveryFilter implements ExceptionFilter {
  constructor(private readonly httpAdapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost) {
    const { httpAdapter } = this.httpAdapterHost;
    const statusCode = exception instanceof HttpException ? exception.getStatus() : HttpStatus.INTERNAL_SERVER_ERROR;
    httpAdapter.reply(host.switchToHttp().getResponse(), { statusCode, by: "EveryFilter" }, statusCode);
  }
}

@Catch(HttpException)
class BaseFilter extends BaseExceptionFilter {}

class FilteredController {
  @Post()
  create(@Body({ schema: NewItem }) item: NewItem) {
    return item;
  }

  @Get()
  list(@Query({ schema: PageQuery }) page: Page) {
    return page;
  }
}

@Controller("filtered/every")
@UseFilters(EveryFilter)
export class EveryController extends FilteredController {}

@Controller("filtered/base")
@UseFilters(BaseFilter)
export class BaseController extends FilteredController {}
`,
    "src/extras/extras.controller.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import {
  All,
  Body,
  type CanActivate,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Injectable,
  Next,
  Param,
  Post,
  RawBody,
  Req,
  SetMetadata,
  Sse,
  UseGuards,
} from "@nestjs/common";
import type { NextFunction, Request } from "express";
import { interval, map, take } from "rxjs";
import { BodyLimit, HandlerTimeout } from "../core/nest/request.ts";
import { readBody } from "../core/http/request.ts";
import { Caller, Public } from "../core/nest/public.ts";
import { ExtrasService } from "./extras.service.ts";
import { Moved } from "./moved.filter.ts";
import { NoteDto } from "./note.dto.ts";

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException("not yours");
  }
}

@Controller()
export class ExtrasController {
  constructor(private readonly extras: ExtrasService) {}

  @Get("caller")
  caller(@Caller() caller: string | undefined) {
    return { caller: caller ?? null };
  }

  @Get("names/:name")
  name(@Param("name") name: string) {
    return this.extras.greet(name);
  }

  @Post("notes")
  note(@Body() note: NoteDto) {
    return note;
  }

  @Post("echo")
  @HttpCode(200)
  echo(@Body() body: unknown) {
    return body;
  }

  @Get("forbidden")
  @UseGuards(NobodyGuard)
  forbidden() {
    return {};
  }

  @Get("gone")
  gone() {
    throw new Moved();
  }

  @Get("broken")
  broken() {
    throw new Error("inner secret");
  }

  @Post("raw")
  async raw(@Req() req: Request) {
    return { sha256: createHash("sha256").update(await readBody(req)).digest("hex") };
  }

  @Post("large")
  @BodyLimit(1_000_000)
  large(@RawBody() bytes: Buffer) {
    return { bytes: bytes.length };
  }

  @Post("twice")
  async twice(@Req() req: Request) {
    await text(req);
    return text(req);
  }

  @All("any")
  @HttpCode(200)
  any() {
    return { reached: "any" };
  }

  @Public()
  @Get("doors/open")
  openDoor() {
    return { door: "open" };
  }

  @Get("doors/:name")
  door(@Param("name") door: string) {
    return { door };
  }

  @SetMetadata("isPublic", true)
  @Get("rooms/vault")
  vault() {
    return { room: "vault" };
  }

  @Public()
  @Get("rooms/:room")
  room(@Param("room") room: string) {
    return { room };
  }

  @Public()
  @Get("halls/*path")
  hall() {
    return { hall: true };
  }

  @Public()
  @Get("gates/:gate")
  gate(@Next() next: NextFunction) {
    next();
  }

  @Public()
  @Get("gates/open")
  openGate() {
    return { gate: "open" };
  }

  @Get("gates/closed")
  closedGate() {
    return { gate: "closed" };
  }

  @Get("patient")
  @HandlerTimeout(10_000)
  @Header("Cache-Control", "")
  patient() {
    return sleep(1200, {});
  }

  @Sse("events")
  events() {
    return interval(300).pipe(
      take(5),
      map((each) => ({ data: each })),
    );
  }

  @Get("limited")
  limited() {
    return {};
  }
}

class RoomController {
  @Get("a")
  lobby() {
    return { lobby: true };
  }
}

@Public()
@Controller("lobby")
export class LobbyController extends RoomController {}

@Public()
@Controller("status")
export class StatusController {
  @Get()
  status() {
    return { status: "up" };
  }
}
`,
    "src/extras/extras.module.ts": `import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common";
import { APP_FILTER, APP_INTERCEPTOR } from "@nestjs/core";
import { rateLimit } from "express-rate-limit";
import { ItemsModule } from "../items/items.module.ts";
import { ExtrasController, LobbyController, StatusController } from "./extras.controller.ts";
import { ExtrasService } from "./extras.service.ts";
import { BaseController, EveryController } from "./filtered.controller.ts";
import { MovedFilter } from "./moved.filter.ts";
import { PluginInterceptor } from "./plugin.interceptor.ts";
import { WrapInterceptor } from "./wrap.interceptor.ts";

@Module({
  imports: [ItemsModule],
  controllers: [ExtrasController, LobbyController, StatusController, EveryController, BaseController],
  providers: [
    ExtrasService,
    { provide: APP_INTERCEPTOR, useClass: PluginInterceptor },
    { provide: APP_INTERCEPTOR, useClass: WrapInterceptor },
    { provide: APP_FILTER, useClass: MovedFilter },
  ],
})
export class ExtrasModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(rateLimit({ limit: 2, validate: false })).forRoutes("limited");
  }
}
`,
  },
  edits: {
    "src/items/items.module.ts": [
      ["  providers: [ItemsService],", "  providers: [ItemsService],\n  exports: [ItemsService],"],
    ],
    "src/app.module.ts": [
      ["    AppRoutesModule,\n", "    AppRoutesModule,\n    ExtrasModule,\n"],
      [
        "import { HealthController, PartsModule, ProblemFilter } from",
        'import { ExtrasModule } from "./extras/extras.module.ts";\nimport { HealthController, PartsModule, ProblemFilter } from',
      ],
    ],
    "src/app.ts": [
      [
        "  return app;",
        `  app.use(express.urlencoded());
  app.use("/echo", express.json());
  app.use(["/echo", "/items"], (req: express.Request, _res: express.Response, next: express.NextFunction) => {
    if (req.body?.secret) req.body = { secret: "hidden by middleware" };
    next();
  });
  app.use(helmet());
  app.use((req: express.Request, _res: express.Response, next: express.NextFunction) => {
    if (req.url === "/halls/back") req.url = "/names/back";
    if (req.url.startsWith("/v1/")) req.url = req.url.slice(3);
    req.method = req.get("X-Changed-Method") ?? req.method;
    next();
  });
  for (const name of ["desk", "office"]) {
    const place = express();
    place.get("/", (_req, res) => {
      res.json({ [name]: true });
    });
    app.use(\`/halls/\${name}\`, place);
  }
  app.use("/halls/staff", (req: express.Request, res: express.Response, next: express.NextFunction) => {
    if (req.method === "GET") next();
    else res.json({ staff: true });
  });
  app.set("trust proxy", "loopback");
  app.enableShutdownHooks();
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
  return app;`,
      ],
      ["import { NestFactory }", 'import { ValidationPipe } from "@nestjs/common";\nimport { NestFactory }'],
      [
        'import type { Parts } from "./config.ts";',
        'import express from "express";\nimport helmet from "helmet";\nimport type { Parts } from "./config.ts";',
      ],
    ],
  },
};
