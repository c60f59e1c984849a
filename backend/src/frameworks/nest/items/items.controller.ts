import { Body, Controller, Get, Header, Post } from "@nestjs/common";
import type { Creation, Page } from "../../../input.ts";
import { NewItem } from "../../../items/item.ts";
import { AddsLocation } from "../item-routes/created.interceptor.ts";
import { CreationHeaders, PageQuery } from "../params.ts";
import { ItemsService } from "./items.service.ts";

@Controller("items")
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  @Header("Content-Type", "application/json")
  list(@PageQuery() page: Page) {
    return this.items.list(page);
  }

  @Post()
  @Header("Content-Type", "application/json")
  @AddsLocation()
  create(@Body({ schema: NewItem }) item: NewItem, @CreationHeaders() creation: Creation) {
    return this.items.create(item, creation);
  }
}
