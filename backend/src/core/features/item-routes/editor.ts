import { type Conditions, expectKnown, expectMatch, isCached } from "../../conditions.ts";
import { isId } from "../../fields/field.ts";
import { notFound, validate } from "../../problem.ts";
import type { Json, Resource, Stored } from "../../resource.ts";
import type { Table } from "../../store/store.ts";
import { toEtag } from "./etag.ts";
import { mergePatch } from "./merge-patch.ts";

export type { Conditions };

/** The answers at the path of one item. */
export type EditorResult<T = unknown> = ReadAnswer<T> | RemovedAnswer;
export type ReadAnswer<T = unknown> = WrittenAnswer<T> | { status: 304; headers: { ETag: string }; body: null };
export type WrittenAnswer<T> = {
  status: 200;
  headers: { "Content-Type": string; ETag: string };
  body: Json<Stored<T>>;
};
export type RemovedAnswer = { status: 204; headers: { ETag?: never }; body: null };

export type Editor<T extends object> = ReturnType<typeof createEditor<T>>;

/** Reads and changes single items. An item that has changed since the client read it is not changed. */
export function createEditor<T extends object>({ schema, columns }: Resource<T>, { rows }: Table<T>) {
  /** The item as JSON text. */
  const find = async (id: string): Promise<string> => {
    const stored = isId(id) ? await rows.find(id) : undefined;
    if (stored === undefined) throw notFound();
    return stored;
  };

  /** Reads, checks and writes the item, and retries if it was changed in between. */
  const change = async (id: string, conditions: Conditions, next: (fields: object) => T | Promise<T>) => {
    for (;;) {
      const stored = await find(id);
      expectKnown(conditions, toEtag(stored));
      const { id: _, createdAt, ...fields } = JSON.parse(stored);
      const item = await next(fields);
      if (await rows.swap(id, stored, item)) return found(JSON.stringify({ id, ...item, createdAt }));
    }
  };

  return {
    find,

    async read(id: string, conditions: Conditions): Promise<ReadAnswer<T>> {
      const answer = found(await find(id));
      expectMatch(conditions, answer.headers.ETag);
      if (!isCached(conditions, answer.headers.ETag)) return answer;
      return { status: 304, headers: { ETag: answer.headers.ETag }, body: null };
    },

    replace(id: string, item: T, conditions: Conditions): Promise<WrittenAnswer<T>> {
      return change(id, conditions, () => item);
    },

    /** The patched item is checked as a whole. A name that is not a field is a fault, even if its value is null. */
    patch(id: string, patch: Record<string, unknown>, conditions: Conditions): Promise<WrittenAnswer<T>> {
      const unknown = Object.entries(patch).filter(([name]) => !Object.hasOwn(columns, name));
      return change(id, conditions, (fields) =>
        validate(schema, { ...(mergePatch(fields, patch) as object), ...Object.fromEntries(unknown) }),
      );
    },

    async remove(id: string, conditions: Conditions): Promise<RemovedAnswer> {
      for (;;) {
        const stored = await find(id);
        expectKnown(conditions, toEtag(stored));
        if (await rows.remove(id, stored)) return { status: 204, headers: {}, body: null };
      }
    },
  };
}

function found(item: string) {
  const headers = { "Content-Type": "application/json", ETag: toEtag(item) };
  return { status: 200 as const, headers, body: item };
}
