import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Put, UseInterceptors } from "@nestjs/common";
import type { Conditions } from "../../../core/features/item-routes/editor.ts";
import { MergePatch } from "../../../core/features/item-routes/merge-patch.ts";
import { ConditionHeaders } from "../../../core/frameworks/nest/item-routes/conditions.decorator.ts";
import { EtagInterceptor } from "../../../core/frameworks/nest/item-routes/etag.interceptor.ts";
import { NewItem } from "../../../items/item.ts";
import { ItemsService } from "./items.service.ts";

@Controller("items/:id")
@UseInterceptors(EtagInterceptor)
export class ItemByIdController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  findOne(@Param("id") id: string) {
    return this.items.findOne(id);
  }

  @Put()
  replace(@Param("id") id: string, @Body({ schema: NewItem }) item: NewItem, @ConditionHeaders() given: Conditions) {
    return this.items.replace(id, item, given);
  }

  @Patch()
  patch(
    @Param("id") id: string,
    @Body({ schema: MergePatch }) patch: Record<string, unknown>,
    @ConditionHeaders() given: Conditions,
  ) {
    return this.items.patch(id, patch, given);
  }

  @Delete()
  @HttpCode(204)
  remove(@Param("id") id: string, @ConditionHeaders() given: Conditions) {
    return this.items.remove(id, given);
  }
}
