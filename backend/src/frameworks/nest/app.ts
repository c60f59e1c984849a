import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import express from "express";
import { adopt } from "../../http/express.ts";
import type { CreateApp } from "../../parts.ts";
import { jsonBody, SchemaPipe } from "./body.ts";
import { HealthController } from "./health.controller.ts";
import { ItemsModule } from "./items/items.module.ts";
import { JsonLogger } from "./logger.ts";
import { PartsModule } from "./parts.module.ts";
import { ProblemFilter } from "./problem.filter.ts";
import { routesOf } from "./routes.ts";
import { WebhooksModule } from "./webhooks/webhooks.module.ts";

adopt(express);

@Module({
  imports: [
    // One module for each folder.
    ItemsModule,
    WebhooksModule,
  ],
  controllers: [HealthController],
})
class AppModule {}

export const createApp: CreateApp = async (parts) => {
  const server = express();
  server.enable("case sensitive routing");
  server.enable("strict routing");
  server.disable("etag");
  server.disable("x-powered-by");

  const root = { module: AppModule, imports: [PartsModule.forRoot(parts)] };
  const options = { abortOnError: false, bodyParser: false, logger: new JsonLogger() };
  const app = await NestFactory.create(root, new ExpressAdapter(server), options);

  app.use(jsonBody);
  app.useGlobalPipes(new SchemaPipe());
  app.useGlobalFilters(new ProblemFilter());
  await app.init();

  return { listener: server, routes: routesOf(server, parts), close: () => app.close() };
};
