import type { Server } from "node:http";
import { inspect } from "node:util";
import {
  type ArgumentsHost,
  Catch,
  ConsoleLogger,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  Get,
  HttpException,
  type INestApplication,
  Inject,
  type LogLevel,
  Module,
  NotFoundException,
} from "@nestjs/common";
import { ModulesContainer } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import express, { type Request, type Response } from "express";
import { adopt, entityTag, type Handler, listRoutes } from "../../http/express.ts";
import { takeJson } from "../../http/request.ts";
import { toAnswer } from "../../http/response.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { flushLog, log } from "../../log.ts";
import { maxErrors, notFound, Problem } from "../../problem.ts";
import type { CoreParts } from "../../start.ts";
import { guardRouter, publicKey } from "./public.ts";
import {
  bodyLimitKey,
  findDeclared,
  findMethod,
  formBody,
  handlerTimeoutKey,
  hasSchema,
  jsonBody,
  MissingJson,
  nameOrigins,
  unreadKey,
} from "./request.ts";

// `src/main.ts` imports this before the app: a router may be created when the file that contains it is imported.
adopt(express);

/** In Nest, a problem is an `HttpException`, too: exception filters and interceptors know the client's faults by it. */
class ProblemException extends HttpException {
  override getResponse() {
    const { status: statusCode, message, code, more } = this as unknown as Problem;
    return { statusCode, message, code, ...(more.errors && { errors: more.errors.slice(0, maxErrors) }) };
  }
}
Object.setPrototypeOf(Problem.prototype, ProblemException.prototype);

/** Nest's app. It listens to the requests of the parts' server. */
export async function toListener(app: INestApplication, parts: CoreParts): Promise<AppListener> {
  const server = app.getHttpAdapter().getInstance();
  // Express's default computes a tag for every answer, also for those that no client may store.
  if (server.get("etag") === "weak") server.set("etag", entityTag);
  nameOrigins(app.get(ModulesContainer));
  await app.init();
  const stoppable = app as unknown as Stoppable;
  // What `enableShutdownHooks()` adds would not wait for requests in flight, and send the signal again.
  stoppable.unsubscribeFromProcessSignals();
  return {
    routes: findRoutes(app, parts),
    choice: "first",
    close: (signal) => stoppable.close(signal),
  };
}

/** What every app has, and the type of Nest's apps does not. */
interface Stoppable {
  close(signal?: string): Promise<void>;
  unsubscribeFromProcessSignals(): void;
}

/** The routes that Nest has added to Express. */
function findRoutes(app: INestApplication, parts: CoreParts): Route[] {
  const { router } = app.getHttpAdapter().getInstance();
  const modules = app.get(ModulesContainer);
  const routes = listRoutes(router).filter(({ handlers }) => !handlers.every(isMiddleware));
  for (const route of routes) {
    const limit = findDeclared(bodyLimitKey, route.handlers);
    route.bodyLimit ??= typeof limit === "function" ? limit(parts) : limit;
    route.handlerTimeout ??= findDeclared(handlerTimeoutKey, route.handlers);
    route.isUnread = findDeclared(unreadKey, route.handlers);
    route.isPublic = findDeclared(publicKey, route.handlers);
    route.definition = findMethod(route.handlers, modules);
    route.isValidated = hasSchema(route);
  }
  guardRouter(router, routes);
  return routes;
}

/** In Express, `forRoutes()` and Nest's 404 handler are routes, too. Only a controller's route has a path here. */
function isMiddleware(handler: Handler): boolean {
  return handler.length > 2 && !Reflect.hasMetadata("path", handler);
}

/** The injection token of the parts: `constructor(@Inject(PARTS) private readonly parts: Parts) {}`. */
export const PARTS = Symbol("PARTS");

@Module({})
export class PartsModule {
  static forRoot(parts: CoreParts): DynamicModule {
    return { module: PartsModule, global: true, providers: [{ provide: PARTS, useValue: parts }], exports: [PARTS] };
  }
}

@Controller("health")
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: CoreParts) {}

  @Get()
  async check() {
    await this.parts.health();
    return { status: "ok" };
  }
}

/** Answers every thrown error. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    // Nothing is answered here to a resolver of GraphQL, or to a message: Nest goes on as without a filter.
    if (host.getType() !== "http") return;
    const http = host.switchToHttp();
    const [req, res] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const { status, headers, body } = toAnswer(explain(error, req), req);
    if (res.headersSent) res.destroy();
    else res.status(status).set(headers).send(body);
  }
}

/** What Nest and its pipes cannot say about a request. */
function explain(error: unknown, req: Request): unknown {
  if (isRouteMissing(error, req)) return notFound();
  try {
    if (error instanceof MissingJson) takeJson(req, undefined);
    return error;
  } catch (problem) {
    return problem;
  }
}

/** Whether Nest found no route. Its own message would repeat the request's URL. */
function isRouteMissing(error: unknown, { method, originalUrl }: Request): boolean {
  return error instanceof NotFoundException && error.message === `Cannot ${method} ${originalUrl}`;
}

/** Express as Nest's platform, on a server that exists already: the one that a backend gives its app. */
export class ServerAdapter extends ExpressAdapter {
  constructor(private readonly server: Server) {
    const app = express();
    // Express reads these when Nest creates the router.
    app.enable("case sensitive routing");
    app.enable("strict routing");
    app.disable("x-powered-by");
    super(app);
  }

  override initHttpServer(): void {
    this.setHttpServer(this.server.on("request", this.getInstance()));
  }

  /** Nest adds its parsers after the middleware that an app adds. */
  override registerParserMiddleware(): void {
    this.use(jsonBody);
    this.use(formBody);
  }
}

const levels = { verbose: "debug", debug: "debug", log: "info", warn: "warn", error: "error", fatal: "error" } as const;

/** The contexts of Nest's own startup messages. */
const starters = ["NestFactory", "InstanceLoader", "RoutesResolver", "RouterExplorer", "NestApplication"];

interface Line {
  context: string;
  logLevel: LogLevel;
  errorStack?: unknown;
  params?: Record<string, unknown>;
  error?: Error;
}

/** Writes what Nest logs, and every `new Logger("…")` of a class, to the log. */
export class JsonLogger extends ConsoleLogger {
  constructor() {
    super({ json: true });
  }

  protected override printAsJson(message: unknown, { context, logLevel, errorStack, params, error }: Line): void {
    // The reason for a failed start is also thrown, and printed there.
    if (context === "ExceptionHandler") return;
    const level = logLevel === "log" && starters.includes(context) ? "debug" : levels[logLevel];
    const text = typeof message === "string" ? message : inspect(message);
    const data = params && JSON.parse(this.stringifyJsonLogObject(params));
    log(level, text, { context: context || undefined, ...data, stack: errorStack, error });
    // Nest ends the process right after it has logged that a package is missing.
    if (level === "error") flushLog();
  }
}
