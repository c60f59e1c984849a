import { Module } from "@nestjs/common";
import { ItemByIdController } from "./by-id.controller.ts";
import { ItemsController } from "./items.controller.ts";
import { ItemsService } from "./items.service.ts";

@Module({
  controllers: [ItemsController, ItemByIdController],
  providers: [ItemsService],
})
export class ItemsModule {}
