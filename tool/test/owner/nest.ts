import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/note.dto.ts": `import { IsString, Length } from "class-validator";

export class NoteDto {
  @IsString()
  @Length(1, 50)
  text!: string;
}
`,
    "src/extras/extras.service.ts": `import { Injectable, Logger, type OnApplicationShutdown } from "@nestjs/common";
import { ItemsService } from "../items/items.service.ts";

@Injectable()
export class ExtrasService implements OnApplicationShutdown {
  private readonly logger = new Logger(ExtrasService.name);

  constructor(private readonly items: ItemsService) {}

  greet(name: string) {
    return this.items ? { name } : {};
  }

  onApplicationShutdown() {
    this.logger.log("closed");
  }
}
`,
    "src/extras/plugin.interceptor.ts": `import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common";
import type { Response } from "express";

@Injectable()
export class PluginInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    context.switchToHttp().getResponse<Response>().set("x-plugin", "yes");
    return next.handle();
  }
}
`,
    "src/extras/extras.controller.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import {
  Body,
  type CanActivate,
  Controller,
  ForbiddenException,
  Get,
  GoneException,
  HttpCode,
  Injectable,
  Param,
  Post,
  Req,
  UseGuards,
} from "@nestjs/common";
import type { Request } from "express";
import { BodyLimit } from "../body.ts";
import { readBody } from "../http/body.ts";
import { Public } from "../public.ts";
import { ExtrasService } from "./extras.service.ts";
import { NoteDto } from "./note.dto.ts";

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException("not yours");
  }
}

@Controller()
export class ExtrasController {
  constructor(private readonly extras: ExtrasService) {}

  @Get("names/:name")
  name(@Param("name") name: string) {
    return this.extras.greet(name);
  }

  @Post("notes")
  note(@Body() note: NoteDto) {
    return note;
  }

  @Post("echo")
  @HttpCode(200)
  echo(@Body() body: unknown) {
    return body;
  }

  @Get("forbidden")
  @UseGuards(NobodyGuard)
  forbidden() {
    return {};
  }

  @Get("gone")
  gone() {
    throw new GoneException("it moved");
  }

  @Get("broken")
  broken() {
    throw new Error("inner secret");
  }

  @Post("raw")
  async raw(@Req() req: Request) {
    return { sha256: createHash("sha256").update(await readBody(req)).digest("hex") };
  }

  @Post("large")
  @BodyLimit(1_000_000)
  async large(@Req() req: Request) {
    return { bytes: (await readBody(req)).length };
  }

  @Post("twice")
  async twice(@Req() req: Request) {
    return text(req);
  }

  @Get("limited")
  limited() {
    return {};
  }
}

@Public()
@Controller("status")
export class StatusController {
  @Get()
  status() {
    return { status: "up" };
  }
}
`,
    "src/extras/extras.module.ts": `import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common";
import { APP_INTERCEPTOR } from "@nestjs/core";
import { rateLimit } from "express-rate-limit";
import { ItemsModule } from "../items/items.module.ts";
import { ExtrasController, StatusController } from "./extras.controller.ts";
import { ExtrasService } from "./extras.service.ts";
import { PluginInterceptor } from "./plugin.interceptor.ts";

@Module({
  imports: [ItemsModule],
  controllers: [ExtrasController, StatusController],
  providers: [ExtrasService, { provide: APP_INTERCEPTOR, useClass: PluginInterceptor }],
})
export class ExtrasModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(rateLimit({ limit: 2, validate: false })).forRoutes("limited");
  }
}
`,
  },
  edits: {
    "src/items/items.module.ts": [
      ["  providers: [ItemsService],", "  providers: [ItemsService],\n  exports: [ItemsService],"],
    ],
    "src/app.ts": [
      ["    ItemsModule,\n", "    ItemsModule,\n    ExtrasModule,\n"],
      [
        "  app.use(jsonBody);",
        `  app.use(express.urlencoded());
  app.use("/echo", express.json());
  app.use(helmet());
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
  app.use(jsonBody);`,
      ],
      ['import { Module } from "@nestjs/common";', 'import { Module, ValidationPipe } from "@nestjs/common";'],
      [
        'import express from "express";',
        'import express from "express";\nimport helmet from "helmet";\nimport { ExtrasModule } from "./extras/extras.module.ts";',
      ],
    ],
  },
};
