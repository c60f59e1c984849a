import { Controller, Get, Inject } from "@nestjs/common";
import type { CoreParts } from "../../parts.ts";
import { PARTS } from "./parts.module.ts";

@Controller("health")
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: CoreParts) {}

  @Get()
  async check() {
    await this.parts.health();
    return { status: "ok" };
  }
}
