import { Inject, Injectable } from "@nestjs/common";
import type { Parts } from "../../../config.ts";
import { type Conditions, createEditor, type Editor } from "../../../core/features/item-routes/editor.ts";
import { PARTS } from "../../../core/frameworks/nest/connect.ts";
import { type Creation, type Page, parseJson, type Stored, type StoredPage } from "../../../core/resource.ts";
import type { Table } from "../../../core/store/store.ts";
import { items, type NewItem } from "../../../items/item.ts";

/** Tables have JSON text, as the database makes it; interceptors expect objects. */
@Injectable()
export class ItemsService {
  private readonly table: Table<NewItem>;
  private readonly editor: Editor<NewItem>;

  constructor(@Inject(PARTS) { store }: Parts) {
    this.table = store.table(items);
    this.editor = createEditor(items, this.table);
  }

  async findAll(page: Page): Promise<StoredPage<NewItem>> {
    return parseJson(await this.table.list(page));
  }

  async create(item: NewItem, creation: Creation): Promise<Stored<NewItem>> {
    return parseJson(await this.table.create(item, creation));
  }

  async findOne(id: string): Promise<Stored<NewItem>> {
    return parseJson(await this.editor.find(id));
  }

  async replace(id: string, item: NewItem, conditions: Conditions): Promise<Stored<NewItem>> {
    const { body } = await this.editor.replace(id, item, conditions);
    return parseJson(body);
  }

  async patch(id: string, patch: Record<string, unknown>, conditions: Conditions): Promise<Stored<NewItem>> {
    const { body } = await this.editor.patch(id, patch, conditions);
    return parseJson(body);
  }

  async remove(id: string, conditions: Conditions): Promise<void> {
    await this.editor.remove(id, conditions);
  }
}
