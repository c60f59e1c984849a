import "reflect-metadata";
import type { ArgumentsHost, ExceptionFilter } from "@nestjs/common";
import { All, Catch, Controller, Get, Header, Inject, Module, NotFoundException, Post, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import express, { type Request, type Response } from "express";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, type Parts, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

@Controller()
class AppController {
  @Inject("parts") private readonly parts!: Parts;

  @Get("health")
  async health() {
    await this.parts.health();
    return { status: "ok" };
  }

  @Get("items")
  @Header("Content-Type", "application/json")
  async list(@Req() req: Request) {
    return this.parts.store.list(readPage(req));
  }

  @Post("items")
  @Header("Content-Type", "application/json")
  async create(@Req() req: Request) {
    return this.parts.store.create(await readCreation(req, this.parts.config.bodyLimitBytes));
  }

  @All([...routes.keys()])
  others(@Req() { method, path }: Request, @Res() res: Response) {
    const allow = routes.get(path) ?? "";
    if (method !== "OPTIONS") throw methodNotAllowed(allow);
    res.status(204).set("Allow", allow).end();
  }
}

@Catch()
class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const http = host.switchToHttp();
    const failure = error instanceof NotFoundException ? notFound() : error;
    const { status, headers, body } = answerTo(failure, http.getRequest<Request>());
    http.getResponse<Response>().status(status).set(headers).send(body);
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

export const createApp: CreateApp = async (parts) => {
  const server = express();
  server.enable("case sensitive routing").enable("strict routing").disable("etag").disable("x-powered-by");
  server.use((req, res, next) => {
    allowOrigin(req, res, parts.config.corsOrigins);
    next();
  });
  const module = { module: AppModule, providers: [{ provide: "parts", useValue: parts }] };
  const app = await NestFactory.create(module, new ExpressAdapter(server), { bodyParser: false, logger: false });
  app.useGlobalGuards({
    canActivate: (context) => {
      authenticate(context.switchToHttp().getRequest<Request>(), parts.config.apiTokens);
      return true;
    },
  });
  await app.useGlobalFilters(new ProblemFilter()).init();
  return server;
};
