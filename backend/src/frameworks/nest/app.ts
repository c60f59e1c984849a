import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import express from "express";
import type { Parts } from "../../config.ts";
import { JsonLogger, ServerAdapter } from "../../core/frameworks/nest/connect.ts";
import { AppModule } from "./app.module.ts";

export async function createApp(parts: Parts) {
  const server = express();
  // Express reads these when Nest creates the router.
  server.enable("case sensitive routing");
  server.enable("strict routing");

  const adapter = new ServerAdapter(server, parts.server);
  const options = { abortOnError: false, logger: new JsonLogger() };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(parts), adapter, options);

  app.disable("x-powered-by");
  // Add middleware, global pipes, guards and interceptors, versioning and static files here.
  return app;
}
