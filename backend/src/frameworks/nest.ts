import "reflect-metadata";
import type { IncomingMessage } from "node:http";
import {
  All,
  type ArgumentsHost,
  Catch,
  Controller,
  type DynamicModule,
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
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import express, { type Request, type Response } from "express";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, type Parts, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

const PARTS = Symbol("parts");

@Controller("health")
class HealthController {
  readonly #parts: Parts;

  constructor(@Inject(PARTS) parts: Parts) {
    this.#parts = parts;
  }

  @Get()
  async check() {
    await this.#parts.health();
    return { status: "ok" };
  }

  @Options()
  @HttpCode(204)
  @Header("Allow", routes["/health"])
  options() {}

  @All()
  refuse() {
    throw methodNotAllowed(routes["/health"]);
  }
}

@Controller("items")
class ItemsController {
  readonly #parts: Parts;

  constructor(@Inject(PARTS) parts: Parts) {
    this.#parts = parts;
  }

  @Get()
  @Header("Content-Type", "application/json")
  async list(@Req() req: IncomingMessage) {
    return this.#parts.store.list(readPage(req));
  }

  @Post()
  @Header("Content-Type", "application/json")
  async create(@Req() req: IncomingMessage) {
    const { config, store } = this.#parts;
    return store.create(await readCreation(req, config.bodyLimitBytes));
  }

  @Options()
  @HttpCode(204)
  @Header("Allow", routes["/items"])
  options() {}

  @All()
  refuse() {
    throw methodNotAllowed(routes["/items"]);
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

@Module({ controllers: [HealthController, ItemsController] })
class AppModule {
  static with(parts: Parts): DynamicModule {
    return { module: AppModule, providers: [{ provide: PARTS, useValue: parts }] };
  }
}

export const createApp: CreateApp = async (parts) => {
  const server = express();
  server.enable("case sensitive routing").enable("strict routing").disable("etag").disable("x-powered-by");
  const app = await NestFactory.create(AppModule.with(parts), new ExpressAdapter(server), {
    bodyParser: false,
    logger: false,
  });
  app.useGlobalFilters(new ProblemFilter());
  await app.init();
  return server;
};
