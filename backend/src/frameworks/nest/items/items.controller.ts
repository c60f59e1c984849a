import { Body, Controller, Get, Post, Query } from "@nestjs/common";
import { AddsLocation } from "../../../core/frameworks/nest/item-routes/etag.interceptor.ts";
import { CreationHeaders } from "../../../core/frameworks/nest/request.ts";
import { type Creation, type Page, PageQuery } from "../../../core/resource.ts";
import { NewItem } from "../../../items/item.ts";
import { ItemsService } from "./items.service.ts";

@Controller("items")
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  findAll(@Query({ schema: PageQuery }) page: Page) {
    return this.items.findAll(page);
  }

  @Post()
  @AddsLocation()
  create(@Body({ schema: NewItem }) item: NewItem, @CreationHeaders() creation: Creation) {
    return this.items.create(item, creation);
  }
}
