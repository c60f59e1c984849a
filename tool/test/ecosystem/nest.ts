import { type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  isCompiled: true,
  plain: `import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { packages } from "../src/packages/list.ts";

class AppModule {}

async function bootstrap() {
  const imports = [
    // packages
  ];
  const app = await NestFactory.create({ module: AppModule, imports }, { logger: false });
  await app.listen(0, "127.0.0.1");
  console.log(JSON.stringify({ message: "listening", port: app.getHttpServer().address().port }));
}
void bootstrap();
`,
  mount: "    ...packages.map(([, module]) => module),",
  signature: "// code",
  packages: [
    {
      name: "@nestjs/config",
      version: "12.0.1",
      code: `
import { Controller, Get, Module } from "@nestjs/common";
import { ConfigModule, ConfigService } from "@nestjs/config";
@Controller("nestjs-config")
class SecretController {
  constructor(private readonly config: ConfigService) {}
  @Get()
  show() {
    return { secret: this.config.get<string>("JWT_SECRET"), port: this.config.get("nested.port") };
  }
}
@Module({
  imports: [ConfigModule.forRoot({ load: [() => ({ nested: { port: 5432 } })] })],
  controllers: [SecretController],
})
export default class PackageModule {}
`,
      requests: [""],
    },
    {
      name: "@nestjs/jwt",
      version: "12.0.2",
      code: `
import { Controller, Get, Headers, Module, UnauthorizedException } from "@nestjs/common";
import { JwtModule, JwtService } from "@nestjs/jwt";
@Controller("nestjs-jwt")
class TokenController {
  constructor(private readonly jwt: JwtService) {}
  @Get()
  async show() {
    const token = await this.jwt.signAsync({ name: "ann" });
    return { name: (await this.jwt.verifyAsync(token)).name };
  }
  @Get("me")
  async me(@Headers("authorization") header: string) {
    return this.jwt.verifyAsync(header ?? "").catch(() => {
      throw new UnauthorizedException();
    });
  }
}
@Module({
  imports: [JwtModule.register({ secret: "not-a-secret-for-tests", signOptions: { expiresIn: "60s" } })],
  controllers: [TokenController],
})
export default class PackageModule {}
`,
      requests: ["", "/me"],
    },
    {
      name: "@nestjs/passport",
      version: "12.0.0",
      with: { passport: "0.7.0", "passport-local": "1.0.0", "passport-jwt": "4.0.1" },
      code: `
import { Controller, Get, Injectable, Module, Post, Req, UnauthorizedException, UseGuards } from "@nestjs/common";
import { AuthGuard, PassportModule, PassportStrategy } from "@nestjs/passport";
import { ExtractJwt, Strategy as JwtStrategy } from "passport-jwt";
import { Strategy } from "passport-local";
@Injectable()
class LocalStrategy extends PassportStrategy(Strategy) {
  async validate(username: string, password: string) {
    if (password !== "right") throw new UnauthorizedException();
    return { username };
  }
}
@Injectable()
class TokenStrategy extends PassportStrategy(JwtStrategy) {
  constructor() {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: "not-a-secret-for-tests" });
  }
  async validate(payload: object) {
    return payload;
  }
}
@Controller("nestjs-passport")
class LoginController {
  @UseGuards(AuthGuard("local"))
  @Post("login")
  login(@Req() req) {
    return req.user;
  }
  @UseGuards(AuthGuard("jwt"))
  @Get("me")
  me(@Req() req) {
    return req.user;
  }
}
@Module({ imports: [PassportModule], controllers: [LoginController], providers: [LocalStrategy, TokenStrategy] })
export default class PackageModule {}
`,
      requests: [
        json({ username: "ann", password: "right" }, { path: "/login" }),
        json({ username: "ann", password: "wrong" }, { path: "/login" }),
        form("username=ann&password=right", { path: "/login" }),
        "/me",
        { path: "/me", headers: { Authorization: "Bearer wrong" } },
      ],
    },
    {
      name: "@nestjs/axios",
      version: "12.0.1",
      with: { axios: "1.21.1" },
      code: `
import { createServer } from "node:http";
import { HttpModule, HttpService } from "@nestjs/axios";
import { Controller, Get, Module } from "@nestjs/common";
import { map } from "rxjs";
const target = createServer((_req, res) => {
  res.setHeader("Content-Type", "application/json");
  res.end('{"cats":2}');
});
target.listen(0, "127.0.0.1").unref();
@Controller("nestjs-axios")
class CatsController {
  constructor(private readonly http: HttpService) {}
  @Get()
  show() {
    return this.http.get(\`http://127.0.0.1:\${target.address().port}\`).pipe(map(({ data }) => data));
  }
}
@Module({ imports: [HttpModule], controllers: [CatsController] })
export default class PackageModule {}
`,
      requests: [""],
    },
    {
      name: "class-validator",
      version: "0.15.1",
      with: { "class-transformer": "0.5.1", "@nestjs/mapped-types": "12.0.0" },
      code: `
import { Body, Controller, Get, Module, ParseIntPipe, Patch, Post, Query, UsePipes, ValidationPipe } from "@nestjs/common";
import { PartialType } from "@nestjs/mapped-types";
import { IsEmail, IsNotEmpty, MinLength } from "class-validator";
class CreateUserDto {
  @IsEmail()
  email: string;
  @IsNotEmpty()
  @MinLength(3)
  password: string;
}
class UpdateUserDto extends PartialType(CreateUserDto) {}
@UsePipes(new ValidationPipe({ whitelist: true, transform: true }))
@Controller("class-validator")
class UsersController {
  @Post()
  create(@Body() user: CreateUserDto) {
    return { ...user, kind: user.constructor.name };
  }
  @Patch()
  update(@Body() user: UpdateUserDto) {
    return user;
  }
  @Get()
  show(@Query("page", ParseIntPipe) page: number) {
    return { page };
  }
}
@Module({ controllers: [UsersController] })
export default class PackageModule {}
`,
      requests: [
        json({ email: "ann@example.com", password: "not-a-secret", more: 1 }),
        json({ email: "ann", password: "x" }),
        json({ email: "ann@example.com" }, { method: "PATCH" }),
        json({ email: "ann" }, { method: "PATCH" }),
        "?page=2",
        "?page=x",
      ],
    },
    {
      name: "@nestjs/throttler",
      version: "6.7.1",
      code: `
import { Controller, Get, Module, UseGuards } from "@nestjs/common";
import { ThrottlerGuard, ThrottlerModule } from "@nestjs/throttler";
@UseGuards(ThrottlerGuard)
@Controller("nestjs-throttler")
class LimitedController {
  @Get()
  show() {
    return "within the limit";
  }
}
@Module({
  imports: [ThrottlerModule.forRoot([{ ttl: 60000, limit: 2 }])],
  controllers: [LimitedController],
})
export default class PackageModule {}
`,
      requests: ["", "", ""],
      masks: [/^\d\d$/g],
    },
    {
      name: "@nestjs/schedule",
      version: "12.0.2",
      code: `
import { Controller, Get, Injectable, Module } from "@nestjs/common";
import { Cron, Interval, ScheduleModule, SchedulerRegistry } from "@nestjs/schedule";
@Injectable()
class TasksService {
  @Cron("0 0 1 1 *", { name: "yearly" })
  yearly() {}
  @Interval("hourly", 3_600_000)
  hourly() {}
}
@Controller("nestjs-schedule")
class TasksController {
  constructor(private readonly registry: SchedulerRegistry) {}
  @Get()
  show() {
    return { cron: [...this.registry.getCronJobs().keys()], intervals: this.registry.getIntervals() };
  }
}
@Module({ imports: [ScheduleModule.forRoot()], controllers: [TasksController], providers: [TasksService] })
export default class PackageModule {}
`,
      requests: [""],
    },
    {
      name: "@nestjs/terminus",
      version: "12.1.0",
      code: `
import { Controller, Get, Module } from "@nestjs/common";
import { HealthCheck, HealthCheckService, MemoryHealthIndicator, TerminusModule } from "@nestjs/terminus";
@Controller("nestjs-terminus")
class OwnHealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly memory: MemoryHealthIndicator,
  ) {}
  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.memory.checkHeap("memory_heap", 4_000_000_000)]);
  }
  @Get("ill")
  @HealthCheck()
  ill() {
    return this.health.check([() => this.memory.checkHeap("memory_heap", 1)]);
  }
}
@Module({ imports: [TerminusModule], controllers: [OwnHealthController] })
export default class PackageModule {}
`,
      requests: ["", { path: "/ill", status: 503 }],
    },
    {
      name: "@nestjs/event-emitter",
      version: "12.0.1",
      with: { eventemitter2: "6.4.9" },
      code: `
import { Controller, Injectable, Module, Post } from "@nestjs/common";
import { EventEmitter2, EventEmitterModule, OnEvent } from "@nestjs/event-emitter";
@Injectable()
class Listener {
  count = 0;
  @OnEvent("order.created")
  handle() {
    this.count++;
  }
}
@Controller("nestjs-event-emitter")
class OrdersController {
  constructor(
    private readonly emitter: EventEmitter2,
    private readonly listener: Listener,
  ) {}
  @Post()
  async create() {
    await this.emitter.emitAsync("order.created", {});
    return { count: this.listener.count };
  }
}
@Module({ imports: [EventEmitterModule.forRoot()], controllers: [OrdersController], providers: [Listener] })
export default class PackageModule {}
`,
      requests: [{ method: "POST" }],
    },
    {
      name: "@nestjs/cache-manager",
      version: "12.0.0",
      with: { "cache-manager": "7.2.9" },
      code: `
import { CacheInterceptor, CacheModule } from "@nestjs/cache-manager";
import { Controller, Get, Module, UseInterceptors } from "@nestjs/common";
let count = 0;
@UseInterceptors(CacheInterceptor)
@Controller("nestjs-cache-manager")
class CountController {
  @Get()
  show() {
    return { count: ++count };
  }
}
@Module({ imports: [CacheModule.register()], controllers: [CountController] })
export default class PackageModule {}
`,
      requests: ["", ""],
    },
    {
      name: "@nestjs/serve-static",
      version: "12.0.0",
      code: `
import { join } from "node:path";
import { Module } from "@nestjs/common";
import { ServeStaticModule } from "@nestjs/serve-static";
@Module({
  imports: [ServeStaticModule.forRoot({ rootPath: join(process.cwd(), "public"), serveRoot: "/nestjs-serve-static" })],
})
export default class PackageModule {}
`,
      requests: ["/hello.txt", "/", "/index.html", { path: "/large.txt", headers: { Range: "bytes=0-9" } }],
    },
    {
      name: "@nestjs/swagger",
      version: "12.0.2",
      code: `
import { Body, Controller, Inject, Module, Post } from "@nestjs/common";
import { ApplicationConfig, HttpAdapterHost, ModuleRef } from "@nestjs/core";
import { ApiProperty, ApiTags, DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
class CreateCatDto {
  @ApiProperty({ example: "Tom" })
  name: string;
}
@ApiTags("cats")
@Controller("nestjs-swagger")
class CatsController {
  @Post()
  create(@Body() cat: CreateCatDto) {
    return cat;
  }
}
@Module({ controllers: [CatsController] })
export default class PackageModule {}
export const document = () => new DocumentBuilder().setTitle("Cats").build();
export const setup = SwaggerModule.setup;
`,
      requests: [json({ name: "Tom" })],
    },
    {
      name: "@nestjs/cqrs",
      version: "12.0.0",
      code: `
import { Controller, Module, Post } from "@nestjs/common";
import { CommandBus, CommandHandler, CqrsModule } from "@nestjs/cqrs";
class KillDragonCommand {
  constructor(readonly heroId: string) {}
}
@CommandHandler(KillDragonCommand)
class KillDragonHandler {
  async execute(command: KillDragonCommand) {
    return { killedBy: command.heroId };
  }
}
@Controller("nestjs-cqrs")
class HeroController {
  constructor(private readonly commands: CommandBus) {}
  @Post()
  kill() {
    return this.commands.execute(new KillDragonCommand("ann"));
  }
}
@Module({ imports: [CqrsModule.forRoot()], controllers: [HeroController], providers: [KillDragonHandler] })
export default class PackageModule {}
`,
      requests: [{ method: "POST" }],
    },
    {
      name: "nestjs-pino",
      version: "5.2.1",
      with: { "pino-http": "11.0.0", pino: "10.4.0" },
      code: `
import { Controller, Get, Module } from "@nestjs/common";
import { InjectPinoLogger, LoggerModule, PinoLogger } from "nestjs-pino";
const lines: string[] = [];
@Controller("nestjs-pino")
class LogController {
  constructor(@InjectPinoLogger(LogController.name) private readonly logger: PinoLogger) {}
  @Get()
  show() {
    this.logger.info("something");
    return "logged";
  }
  @Get("lines")
  lines() {
    return lines;
  }
}
@Module({
  imports: [
    LoggerModule.forRoot({ pinoHttp: [{ autoLogging: false }, { write: (line) => lines.push(JSON.parse(line).msg) }], forRoutes: ["nestjs-pino"] }),
  ],
  controllers: [LogController],
})
export default class PackageModule {}
`,
      requests: ["", "/lines"],
    },
    {
      name: "@nestjs/platform-socket.io",
      version: "12.1.1",
      with: { "@nestjs/websockets": "12.1.1" },
      code: `
import { Module } from "@nestjs/common";
import { MessageBody, SubscribeMessage, WebSocketGateway } from "@nestjs/websockets";
@WebSocketGateway({ path: "/nestjs-platform-socket.io/" })
class EventsGateway {
  @SubscribeMessage("events")
  handleEvent(@MessageBody() data: string) {
    return { event: "events", data };
  }
}
@Module({ providers: [EventsGateway] })
export default class PackageModule {}
`,
      requests: [
        "/?EIO=4&transport=polling",
        { path: "/?EIO=4&transport=websocket", socket: ["40", "3", '42["events","hello"]'] },
      ],
      masks: [/"sid":"[^"]+"/g],
    },
    {
      name: "ws",
      version: "8.22.2",
      code: `
import { Injectable, Module, OnModuleInit } from "@nestjs/common";
import { HttpAdapterHost } from "@nestjs/core";
import { WebSocketServer } from "ws";
@Injectable()
class Echo implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}
  onModuleInit() {
    const wss = new WebSocketServer({ noServer: true });
    this.host.httpAdapter.getHttpServer().on("upgrade", (request, socket, head) => {
      if (request.url === "/ws")
        wss.handleUpgrade(request, socket, head, (ws) => ws.on("message", (data) => ws.send("echo of " + data)));
    });
  }
}
@Module({ providers: [Echo] })
export default class PackageModule {}
`,
      requests: [{ socket: ["hello", "again"] }, ""],
    },
    {
      name: "middleware",
      about: "helmet, compression, cookie-parser, express-session, as Nest's documentation mounts them",
      with: { helmet: "8.3.0", compression: "1.8.2", "cookie-parser": "1.4.7", "express-session": "1.19.0" },
      code: `
import { Controller, Get, type MiddlewareConsumer, Module, NotFoundException, Req, Res } from "@nestjs/common";
import compression from "compression";
import cookieParser from "cookie-parser";
import session from "express-session";
import helmet from "helmet";
@Controller("middleware")
class MiddlewareController {
  @Get("large")
  large() {
    return "compress me ".repeat(500);
  }
  @Get("cookies")
  cookies(@Req() req, @Res({ passthrough: true }) res) {
    res.cookie("key", "value");
    return req.cookies;
  }
  @Get("views")
  views(@Req() req) {
    req.session.views = (req.session.views ?? 0) + 1;
    return { views: req.session.views };
  }
  @Get("missing")
  missing() {
    throw new NotFoundException("missing");
  }
  @Get("broken")
  broken() {
    throw new Error("broken");
  }
}
@Module({ controllers: [MiddlewareController] })
export default class PackageModule {
  configure(consumer: MiddlewareConsumer) {
    consumer
      .apply(helmet(), compression(), cookieParser(), session({ secret: "not-a-secret", resave: false, saveUninitialized: false }))
      .forRoutes("middleware/*path");
  }
}
`,
      requests: [
        "/large",
        "/cookies",
        "/cookies",
        "/views",
        "/views",
        "/missing",
        { path: "/broken", status: 500 },
        "/none",
      ],
      masks: [/connect\.sid=[^;]*/g],
    },
    {
      name: "@nestjs/graphql",
      version: "14.0.3",
      with: {
        "@nestjs/apollo": "14.0.3",
        "@apollo/server": "5.5.1",
        "@as-integrations/express5": "1.1.2",
        graphql: "16.12.0",
      },
      code: `
import { ApolloDriver, type ApolloDriverConfig } from "@nestjs/apollo";
import { Module, NotFoundException } from "@nestjs/common";
import { Args, Field, GraphQLModule, Int, Mutation, ObjectType, Query, Resolver } from "@nestjs/graphql";
@ObjectType()
class Recipe {
  @Field(() => Int)
  id: number;
  @Field()
  title: string;
}
@Resolver(() => Recipe)
class RecipesResolver {
  @Query(() => Recipe)
  recipe(@Args("id", { type: () => Int }) id: number) {
    return { id, title: "soup" };
  }
  @Query(() => String)
  lost(@Args("id") id: string) {
    throw new NotFoundException(\`No recipe \${id}.\`);
  }
  @Mutation(() => Recipe)
  addRecipe(@Args("title") title: string) {
    return { id: 2, title };
  }
}
@Module({
  imports: [GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true, path: "/nestjs-graphql/graphql", graphiql: true })],
  providers: [RecipesResolver],
})
export default class PackageModule {}
`,
      requests: [
        json({ query: "{ recipe(id: 1) { id title } }" }, { path: "/graphql" }),
        json({ query: 'mutation { addRecipe(title: "stew") { id title } }' }, { path: "/graphql" }),
        json({ query: "{ none }" }, { path: "/graphql" }),
        json({ query: '{ lost(id: "9") }' }, { path: "/graphql" }),
        { path: "/graphql", headers: { Accept: "text/html" } },
      ],
    },
    {
      name: "answers",
      about: "uploads, streams, server-sent events, files, redirects, versions, errors",
      with: { multer: "2.5.0" },
      code: `
import { createReadStream } from "node:fs";
import {
  BadRequestException, Body, Controller, Get, Header, HttpCode, HttpException, Module, ParseUUIDPipe, Param, Post, Redirect, Req, Res, Sse, StreamableFile,
  UploadedFile, UploadedFiles, UseInterceptors,
} from "@nestjs/common";
import { FileInterceptor, FilesInterceptor } from "@nestjs/platform-express";
import { interval, map, take } from "rxjs";
@Controller("answers")
class AnswersController {
  @Post("upload")
  @UseInterceptors(FileInterceptor("file"))
  upload(@UploadedFile() file, @Body() body) {
    return { name: file.originalname, size: file.size, title: body.title };
  }
  @Post("uploads")
  @UseInterceptors(FilesInterceptor("files"))
  uploads(@UploadedFiles() files) {
    return files.map(({ originalname, size }) => ({ originalname, size }));
  }
  @Post("json")
  @HttpCode(200)
  json(@Body() body) {
    return body;
  }
  @Get("file")
  file() {
    return new StreamableFile(createReadStream("public/large.txt"), { type: "text/plain" });
  }
  @Sse("events")
  events() {
    return interval(250).pipe(take(10), map((n) => ({ data: { n } })));
  }
  @Get("relative")
  @Redirect("file")
  relative() {}
  @Get("absolute")
  @Redirect("https://example.com/a", 301)
  absolute() {}
  @Get("header")
  @Header("Cache-Control", "public, max-age=60")
  header() {
    return "cached";
  }
  @Get("res")
  res(@Res() res) {
    res.status(202).json({ by: "hand" });
  }
  @Get("teapot")
  teapot() {
    throw new HttpException("teapot", 418);
  }
  @Get("bad")
  bad() {
    throw new BadRequestException("bad", { cause: new Error("inner"), description: "why" });
  }
  @Get("ids/:id")
  id(@Param("id", ParseUUIDPipe) id: string) {
    return { id };
  }
}
@Module({ controllers: [AnswersController] })
export default class PackageModule {}
`,
      requests: [
        { path: "/upload", method: "POST", body: smallUpload },
        { path: "/uploads", method: "POST", body: upload },
        json({ a: 1 }, { path: "/json" }),
        form("a=1&b[c]=2&b[d]=3", { path: "/json" }),
        { path: "/json", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        "/file",
        "/events",
        "/relative",
        "/absolute",
        "/header",
        "/res",
        "/teapot",
        "/bad",
        "/ids/1",
        "/ids/0191b2a0-0000-7000-8000-000000000000",
      ],
    },
  ],
};
