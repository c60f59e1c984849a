import { Controller, Get, Inject } from "@nestjs/common";
import type { Parts } from "../../parts.ts";
import { PARTS } from "./parts.module.ts";

@Controller("health")
export class HealthController {
  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  @Get()
  async check() {
    await this.parts.health();
    return { status: "ok" };
  }
}
