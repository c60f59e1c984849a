import { Controller, Get, Inject } from "@nestjs/common";
import { PARTS } from "../../core/frameworks/nest/parts.module.ts";
import type { Parts } from "../../parts.ts";

@Controller("health")
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get()
  async check() {
    await this.parts.health();
    return { status: "ok" };
  }
}
