import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { host, port } from "../address.ts";

@Controller()
class AppController {
  @Get("health")
  health() {
    return { status: "ok" };
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

// Nest finds this adapter automatically, but not in a bundle.
NestFactory.create(AppModule, new ExpressAdapter()).then((app) => app.listen(port, host));
