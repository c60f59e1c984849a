import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import type { Parts } from "../../config.ts";
import { JsonLogger, ServerAdapter } from "../../core/frameworks/nest/connect.ts";
import { AppModule } from "./app.module.ts";

export async function createApp(parts: Parts) {
  const adapter = new ServerAdapter(parts.server);
  // Without `abortOnError`, a failed start is thrown: `start` reports it.
  const options = { abortOnError: false, logger: new JsonLogger() };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(parts), adapter, options);

  // Add middleware, global pipes, guards and interceptors, versioning and static files here.
  return app;
}
