import type { Extension } from "./extension.ts";

type Edits = Extension["edits"];

/** What owners add for requests that no other route takes, as the framework's documentation says. */
export interface Fallbacks {
  /**
   * An answer of 404 with other members than ours, where nothing is found; `PURGE /cache` (in Nest `SEARCH`) beside
   * `GET /cache`; and `OPTIONS /own`, which answers 200, beside `GET /own`.
   */
  answers: Edits;
  /** A route that takes any method at any path, and answers 404. */
  catchAll: Edits;
}

/** In `app.ts`, in place of a text that is there once. */
const inApp = (from: string, to: string): Edits => ({ "src/app.ts": [[from, to]] });
const above = (line: string, code: string) => inApp(line, `${code}\n${line}`);
const below = (line: string, code: string) => inApp(line, `${line}\n${code}`);

export const fallbacks: Record<string, Fallbacks> = {
  express: {
    answers: above(
      "  // Below all routes, as Express needs it.",
      `  app.get("/cache", (_req, res) => void res.json({}));
  app.purge("/cache", (_req, res) => void res.json({}));
  app.get("/own", (_req, res) => void res.json({}));
  app.options("/own", (_req, res) => void res.json({}));
  app.use((_req, res) => void res.status(404).json({ message: "Nothing is here.", hint: 1 }));`,
    ),
    catchAll: above(
      "  // Below all routes, as Express needs it.",
      `  app.all("/{*any}", (_req, res) => void res.status(404).send("Nothing is here."));`,
    ),
  },
  koa: {
    answers: below(
      "  app.use(routes(parts).routes());",
      `  const own = new Router();
  const answer: Router.Middleware = (ctx) => {
    ctx.body = {};
  };
  own.get("/cache", answer).register("/cache", ["PURGE"], [answer]);
  own.get("/own", answer).options("/own", answer);
  app.use(own.routes());
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = { message: "Nothing is here.", hint: 1 };
  });`,
    ),
    catchAll: below(
      "  app.use(routes(parts).routes());",
      `  const rest = new Router().all("/{*any}", (ctx) => ctx.throw(404, "Nothing is here."));
  app.use(rest.routes());`,
    ),
  },
  fastify: {
    answers: inApp(
      "  app.register(unknownPaths);",
      `  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: "Nothing is here.", hint: 1 }));
  app.addHttpMethod("PURGE");
  app.route({ method: ["GET", "PURGE"], url: "/cache", handler: async () => ({}) });
  app.route({ method: ["GET", "OPTIONS"], url: "/own", handler: async () => ({}) });`,
    ),
    catchAll: below(
      "  app.register(routes, { parts });",
      `  app.all("/*", async (_request, reply) => reply.code(404).send("Nothing is here."));`,
    ),
  },
  hono: {
    answers: {
      "src/app.ts": [
        [
          "app.notFound((c) => sendProblem(notFound(), c));",
          'app.notFound((c) => c.json({ message: "Not Found", path: c.req.path }, 404));',
        ],
        [
          '      .route("/", routes(parts))',
          `      .route("/", routes(parts))
      .get("/cache", (c) => c.json({}))
      .on("PURGE", "/cache", (c) => c.json({}))
      .get("/own", (c) => c.json({}))
      .options("/own", (c) => c.json({}))`,
        ],
      ],
    },
    catchAll: below('      .route("/", routes(parts))', `      .all("*", (c) => c.text("Nothing is here.", 404))`),
  },
  h3: {
    answers: {
      "src/app.ts": [
        [
          "new H3({ onError: sendProblem, silent: true })",
          `new H3({
    onError: (error, event) => {
      if (error.status === 404 && !event.context.matchedRoute)
        return Response.json({ message: "Nothing is here.", hint: 1 }, { status: 404 });
      return sendProblem(error, event);
    },
    silent: true,
  })`,
        ],
        [
          '  app.mount("", routes(parts));',
          `  app.mount("", routes(parts));
  app.get("/cache", () => ({})).on("PURGE", "/cache", () => ({}));
  app.get("/own", () => ({})).options("/own", () => ({}));`,
        ],
      ],
    },
    catchAll: below(
      '  app.mount("", routes(parts));',
      `  app.all("/**", (event) => {
    event.res.status = 404;
    return "Nothing is here.";
  });`,
    ),
  },
  hapi: {
    answers: above(
      '  server.ext("onPreResponse", sendProblem);',
      `  const handler = () => ({});
  server.route({ method: ["GET", "PURGE" as "GET"], path: "/cache", handler });
  server.route({ method: ["GET", "OPTIONS"], path: "/own", handler });
  server.ext("onPreResponse", ({ response }, h) => {
    const isMissing = "isBoom" in response && response.output.statusCode === 404;
    return isMissing ? h.response({ message: "Nothing is here.", hint: 1 }).code(404) : h.continue;
  });`,
    ),
    catchAll: above(
      "  // Extensions above this one",
      `  server.route({
    method: "*",
    path: "/{any*}",
    handler: (_request, h) => h.response("404 Error! Page Not Found!").code(404),
  });`,
    ),
  },
  elysia: {
    answers: {
      "src/app.ts": [
        [
          "standardHostname: false } })",
          `standardHostname: false } })
      .onError(({ code, status }) => {
        if (code === "NOT_FOUND") return status(404, { message: "Nothing is here.", hint: 1 });
      })`,
        ],
        [
          "      .use(routes(parts))",
          `      .use(routes(parts))
      .get("/cache", () => ({}))
      .route("PURGE", "/cache", () => ({}))
      .get("/own", () => ({}))
      .options("/own", () => ({}))`,
        ],
      ],
    },
    catchAll: below("      .use(routes(parts))", `      .all("/*", ({ status }) => status(404, "Nothing is here."))`),
  },
  nest: {
    answers: {
      "src/app.module.ts": [
        [
          "import { type DynamicModule, Module }",
          nestImports("type ArgumentsHost, Catch, type ExceptionFilter, Get, NotFoundException, Options, Search"),
        ],
        ["controllers: [HealthController],", "controllers: [HealthController, OwnController],"],
        [
          "useClass: ProblemFilter },",
          "useClass: ProblemFilter },\n    { provide: APP_FILTER, useClass: NotFoundFilter },",
        ],
        [
          "@Module({",
          `@Catch(NotFoundException)
class NotFoundFilter implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost) {
    host.switchToHttp().getResponse().status(404).json({ message: "Nothing is here.", hint: 1 });
  }
}

@Controller()
class OwnController {
  @Get("cache")
  cache() {
    return {};
  }
  @Search("cache")
  search() {
    return {};
  }
  @Get("own")
  own() {
    return {};
  }
  @Options("own")
  options() {
    return {};
  }
}

@Module({`,
        ],
      ],
    },
    // Nest adds the routes of modules in the order of their imports.
    catchAll: {
      "src/app.module.ts": [
        ["import { type DynamicModule, Module }", nestImports("All, NotFoundException")],
        ["    AppRoutesModule,", "    AppRoutesModule,\n    RestModule,"],
        [
          "@Module({",
          `@Controller()
class RestController {
  @All("{*any}")
  refuse() {
    throw new NotFoundException("Nothing is here.");
  }
}

@Module({ controllers: [RestController] })
class RestModule {}

@Module({`,
        ],
      ],
    },
  },
};

function nestImports(names: string): string {
  return `import { Controller, ${names}, type DynamicModule, Module }`;
}
