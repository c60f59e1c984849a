import { Module } from "@nestjs/common";
import { ItemByIdController } from "./by-id.controller.ts";

@Module({
  controllers: [ItemByIdController],
})
export class ItemByIdModule {}
