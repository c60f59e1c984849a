import "reflect-metadata";
import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Header,
  HttpCode,
  Inject,
  Module,
  NotFoundException,
  Options,
  Post,
  Req,
  Res,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import express, { type Request, type Response } from "express";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, type Parts, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

const PARTS = Symbol("parts");

@Controller()
class AppController {
  readonly #parts: Parts;

  constructor(@Inject(PARTS) parts: Parts) {
    this.#parts = parts;
  }

  @Get("health")
  async health() {
    await this.#parts.health();
    return { status: "ok" };
  }

  @Get("items")
  @Header("Content-Type", "application/json")
  async list(@Req() req: Request) {
    return this.#parts.store.list(readPage(req));
  }

  @Post("items")
  @Header("Content-Type", "application/json")
  async create(@Req() req: Request) {
    const { config, store } = this.#parts;
    return store.create(await readCreation(req, config.bodyLimitBytes));
  }

  @Options([...routes.keys()])
  @HttpCode(204)
  options(@Req() { path }: Request, @Res({ passthrough: true }) res: Response) {
    res.set("Allow", routes.get(path));
  }

  @All([...routes.keys()])
  refuse(@Req() { path }: Request) {
    throw methodNotAllowed(routes.get(path) ?? "");
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
  const app = await NestFactory.create(
    { module: AppModule, providers: [{ provide: PARTS, useValue: parts }] },
    new ExpressAdapter(server),
    { bodyParser: false, logger: false },
  );
  app.useGlobalFilters(new ProblemFilter());
  await app.init();
  return server;
};
