import { Controller, type DynamicModule, Get, Inject, Module } from "@nestjs/common";
import type { CoreParts } from "../../start.ts";

/** The injection token of the parts: `constructor(@Inject(PARTS) private readonly parts: Parts) {}`. */
export const PARTS = Symbol("PARTS");

@Module({})
export class PartsModule {
  static forRoot(parts: CoreParts): DynamicModule {
    return { module: PartsModule, global: true, providers: [{ provide: PARTS, useValue: parts }], exports: [PARTS] };
  }
}

@Controller("health")
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: CoreParts) {}

  @Get()
  async check() {
    await this.parts.health();
    return { status: "ok" };
  }
}
