import { Inject, Injectable } from "@nestjs/common";
import type { Parts } from "../../../config.ts";
import { type Conditions, createEditor, type Editor } from "../../../core/features/item-routes/editor.ts";
import { PARTS } from "../../../core/frameworks/nest/parts.module.ts";
import type { Creation, Page, Stored, StoredPage } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, type NewItem } from "../../../items/item.ts";

@Injectable()
export class ItemsService {
  private readonly table: Table<NewItem>;
  private readonly editor: Editor<NewItem>;

  constructor(@Inject(PARTS) { store }: Parts) {
    this.table = store.table(items);
    this.editor = createEditor(items, this.table);
  }

  async list(page: Page): Promise<StoredPage<NewItem>> {
    return JSON.parse(await this.table.list(page));
  }

  async create(item: NewItem, creation: Creation): Promise<Stored<NewItem>> {
    return JSON.parse(await this.table.create(item, creation));
  }

  findOne(id: string, conditions: Conditions) {
    return this.editor.read(id, conditions);
  }

  replace(id: string, item: NewItem, conditions: Conditions) {
    return this.editor.replace(id, item, conditions);
  }

  patch(id: string, patch: Record<string, unknown>, conditions: Conditions) {
    return this.editor.patch(id, patch, conditions);
  }

  remove(id: string, conditions: Conditions) {
    return this.editor.remove(id, conditions);
  }
}
