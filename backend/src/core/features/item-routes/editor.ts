import { type Conditions, expectKnown, expectMatch, isCached } from "../../conditions.ts";
import { isId } from "../../fields/field.ts";
import { watchRequest } from "../../http/response.ts";
import { notFound, unavailable, validate } from "../../problem.ts";
import type { Json, Resource, Stored } from "../../resource.ts";
import type { Table } from "../../store/store.ts";
import { toEtag } from "./etag.ts";
import { mergePatch } from "./merge-patch.ts";
import { createTurns } from "./turns.ts";

export type { Conditions };

/** The answers at the path of one item. */
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
  const inTurn = createTurns();

  /** The item as JSON text. */
  const find = async (id = ""): Promise<Json<Stored<T>>> => {
    const stored = isId(id) ? await rows.find(id) : undefined;
    if (stored === undefined) throw notFound();
    return stored;
  };

  /**
   * Reads and checks the item, and runs `work`; again if that returns nothing, because the item was changed in between.
   * Changes of one item in turn do not make each other start again: that is left to those of other processes.
   */
  const change = <Answer>(
    id = "",
    conditions: Conditions,
    work: (stored: string, id: string) => Promise<Answer | undefined>,
  ): Promise<Answer> => {
    const isGivenUp = watchRequest();
    return inTurn(id, async () => {
      for (let attempt = 0; attempt < maxAttempts && !isGivenUp(); attempt++) {
        const stored = await find(id);
        expectKnown(conditions, toEtag(stored));
        const answer = await work(stored, id);
        if (answer) return answer;
      }
      throw unavailable();
    });
  };

  const write = (id: Id, conditions: Conditions, next: (fields: object) => T | Promise<T>) =>
    change(id, conditions, async (stored, id) => {
      const { id: _, createdAt, ...fields } = JSON.parse(stored);
      const item = await next(fields);
      return (await rows.swap(id, stored, item)) ? found(JSON.stringify({ id, ...item, createdAt })) : undefined;
    });

  return {
    find,

    async read(id: Id, conditions: Conditions): Promise<ReadAnswer<T>> {
      const answer = found(await find(id));
      expectMatch(conditions, answer.headers.ETag);
      if (!isCached(conditions, answer.headers.ETag)) return answer;
      return { status: 304, headers: { ETag: answer.headers.ETag }, body: null };
    },

    replace(id: Id, item: T, conditions: Conditions): Promise<WrittenAnswer<T>> {
      return write(id, conditions, () => item);
    },

    /** The patched item is checked as a whole. A name that is not a field is a fault, even if its value is null. */
    patch(id: Id, patch: Record<string, unknown>, conditions: Conditions): Promise<WrittenAnswer<T>> {
      const unknown = Object.entries(patch).filter(([name]) => !Object.hasOwn(columns, name));
      return write(id, conditions, (fields) =>
        validate(schema, { ...(mergePatch(fields, patch) as object), ...Object.fromEntries(unknown) }),
      );
    },

    remove(id: Id, conditions: Conditions): Promise<RemovedAnswer> {
      return change(id, conditions, async (stored, id) =>
        (await rows.remove(id, stored)) ? { status: 204, headers: {}, body: null } : undefined,
      );
    },
  };
}

/** As routers have it: in some of their types, a parameter of the path may be undefined. */
type Id = string | undefined;

/** How often a change begins again, because another process was faster. */
const maxAttempts = 100;

function found(item: string) {
  const headers = { "Content-Type": "application/json", ETag: toEtag(item) };
  return { status: 200 as const, headers, body: item };
}
