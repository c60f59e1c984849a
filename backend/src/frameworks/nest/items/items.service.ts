import { Inject, Injectable } from "@nestjs/common";
import { type Editor, editorOf } from "../../../features/item-routes/editor.ts";
import type { Creation, Page } from "../../../input.ts";
import { items, type NewItem } from "../../../items/item.ts";
import type { Parts } from "../../../parts.ts";
import type { Table } from "../../../store/store.ts";
import { PARTS } from "../parts.module.ts";

@Injectable()
export class ItemsService {
  private readonly table: Table<NewItem>;
  readonly editor: Editor<NewItem>;

  constructor(@Inject(PARTS) { store }: Parts) {
    this.table = store.table(items);
    this.editor = editorOf(items, this.table);
  }

  list(page: Page) {
    return this.table.list(page);
  }

  create(item: NewItem, creation: Creation) {
    return this.table.create(item, creation);
  }
}
