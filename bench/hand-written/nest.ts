import "reflect-metadata";
import { Body, Controller, Get, Module, Post, Query, ValidationPipe } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ExpressAdapter } from "@nestjs/platform-express";
import { IsOptional, IsString, Length } from "class-validator";
import { Logger, LoggerModule } from "nestjs-pino";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";

class NewItemDto {
  @IsString()
  @Length(1, 200)
  name!: string;
}

class ListQueryDto {
  @IsOptional()
  @IsString()
  cursor?: string;
}

/** Declares the types of a handler's parameters for the ValidationPipe, as tsc does; esbuild emits none. */
const parameters = (...types: unknown[]) => Reflect.metadata("design:paramtypes", types);

@Controller()
class AppController {
  @Get("health")
  async health() {
    await ping();
    return { status: "ok" };
  }

  @Get("items")
  @parameters(ListQueryDto)
  list(@Query() { cursor }: ListQueryDto) {
    return listItems(cursor);
  }

  @Post("items")
  @parameters(NewItemDto)
  create(@Body() { name }: NewItemDto) {
    return createItem(name);
  }
}

@Module({ imports: [LoggerModule.forRoot()], controllers: [AppController] })
class AppModule {}

async function start() {
  // Nest finds this adapter automatically, but not in a bundle.
  const app = await NestFactory.create(AppModule, new ExpressAdapter(), { bufferLogs: true });
  app.useLogger(app.get(Logger));
  app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
  await app.listen(port, host);
}

start();
