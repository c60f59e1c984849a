import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { validItem } from "../items.ts";
import { listed } from "../listing.ts";
import { type Check, expectJson, expectProblem, post, type Subject } from "../suite.ts";
import type { Reply } from "../wire.ts";
import { isUnique } from "./values.ts";

export const hasUnique: NonNullable<Check["isFor"]> = ({ item }) => Object.values(item.properties).some(isUnique);

export const uniqueChecks: Check[] = [
  {
    name: "a taken value of a unique field is 409, and the answer names each such field",
    isFor: hasUnique,
    async run(subject) {
      const made = expectJson(await post(subject, validItem(subject.item)), 201);
      const { id, createdAt, ...twin } = made;
      expectTaken(await post(subject, twin), uniqueIn(subject));
      for (const name of uniqueIn(subject))
        expectTaken(await post(subject, { ...validItem(subject.item), [name]: made[name] }), [name]);
      assert.deepEqual(await listed(subject, [made]), [made]);
    },
  },
  {
    name: "one of several concurrent items gets a value, and items with other values are not affected",
    isFor: hasUnique,
    async run(subject) {
      const [name = ""] = uniqueIn(subject);
      const wanted = validItem(subject.item)[name];
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const item = validItem(subject.item);
          return post(subject, index % 2 === 0 ? { ...item, [name]: wanted } : item);
        }),
      );
      const [rivals, others] = [0, 1].map((rest) => replies.filter((_, index) => index % 2 === rest));
      for (const reply of others ?? []) expectJson(reply, 201);
      const refused = (rivals ?? []).filter(({ status }) => status !== 201);
      assert.equal(refused.length, 9);
      for (const reply of refused) expectTaken(reply, [name]);
    },
  },
  {
    name: "a creation that is refused for a taken value does not use up its Idempotency-Key",
    isFor: hasUnique,
    async run(subject) {
      const [name = ""] = uniqueIn(subject);
      const key = { "Idempotency-Key": randomUUID() };
      const taken = expectJson(await post(subject, validItem(subject.item)), 201)[name];
      const sent = validItem(subject.item);
      expectTaken(await post(subject, { ...sent, [name]: taken }, key), [name]);
      const made = expectJson(await post(subject, sent, key), 201);
      assert.deepEqual(expectJson(await post(subject, sent, key), 201), made);
      expectProblem(await post(subject, { ...sent, [name]: taken }, key), 422, "idempotency_key_reused");
    },
  },
  {
    name: "any number of items may lack an optional unique field",
    isFor: ({ item }) => Object.entries(item.properties).some(([name, one]) => isUnique(one) && isOptional(item, name)),
    async run(subject) {
      const optional = uniqueIn(subject).filter((name) => isOptional(subject.item, name));
      const without = () => {
        const fields = Object.entries(validItem(subject.item));
        return Object.fromEntries(fields.filter(([name]) => !optional.includes(name)));
      };
      for (const item of [without(), without()]) expectJson(await post(subject, item), 201);
    },
  },
];

const isOptional = ({ required }: Subject["item"], name: string) => !required.includes(name);

/** The names of the unique fields. */
export function uniqueIn({ item }: Subject): string[] {
  return Object.keys(item.properties).filter((name) => isUnique(item.properties[name] ?? {}));
}

export function expectTaken(reply: Reply, names: string[]): void {
  const { errors } = expectProblem(reply, 409, "conflict");
  assert.deepEqual(
    errors?.map(({ pointer }) => pointer),
    names.map((name) => `#/${name}`),
  );
}
