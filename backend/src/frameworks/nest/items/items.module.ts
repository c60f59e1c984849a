import { Module } from "@nestjs/common";
import { ItemByIdModule } from "./by-id.module.ts";
import { ItemsController } from "./items.controller.ts";
import { ItemsService } from "./items.service.ts";

@Module({
  controllers: [ItemsController],
  providers: [ItemsService],
  imports: [ItemByIdModule],
})
export class ItemsModule {}
