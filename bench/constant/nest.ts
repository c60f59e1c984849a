import "reflect-metadata";
import { Controller, Get, Header, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { page, serve } from "./serve.ts";

@Controller("items")
class ItemsController {
  @Get()
  @Header("Content-Type", "application/json")
  list() {
    return page;
  }
}

@Module({ controllers: [ItemsController] })
class AppModule {}

const adapter = new ExpressAdapter();
const express = adapter.getInstance().disable("etag");
NestFactory.create(AppModule, adapter, { bodyParser: false, logger: false })
  .then((app) => app.init())
  .then(() => serve(express));
