import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { validItem } from "../items.ts";
import { type Check, expectFaults, expectJson, post } from "../suite.ts";
import { listReferring } from "./prepare.ts";

const isFor: Check["isFor"] = (subject) => listReferring(subject).length > 0;

export const relationChecks: Check[] = [
  {
    name: "references must exist, and each that does not is a separate fault",
    isFor,
    async run(subject) {
      const names = listReferring(subject);
      expectFaults(
        await post(subject, { ...validItem(subject.item), ...lost(names) }),
        names.map((name) => `#/${name}`),
      );
      for (const name of names) {
        const item = validItem(subject.item);
        expectFaults(await post(subject, { ...item, ...lost([name]) }), [`#/${name}`]);
        const inUpperCase = String(item[name]).toUpperCase();
        if (inUpperCase !== item[name])
          expectFaults(await post(subject, { ...item, [name]: inUpperCase }), [`#/${name}`]);
        expectJson(await post(subject, item), 201);
      }
    },
  },
  {
    name: "a creation with a reference that does not exist does not affect other creations",
    isFor,
    async run(subject) {
      const names = listReferring(subject);
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          post(subject, { ...validItem(subject.item), ...(index % 2 === 0 && lost(names)) }),
        ),
      );
      assert.deepEqual(
        replies.map(({ status }) => status),
        replies.map((_, index) => (index % 2 === 0 ? 422 : 201)),
      );
    },
  },
  {
    name: "a creation that is refused for a reference does not use up its Idempotency-Key",
    isFor,
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      const names = listReferring(subject);
      const reply = await post(subject, { ...sent, ...lost(names) }, key);
      expectFaults(
        reply,
        names.map((name) => `#/${name}`),
      );
      const made = expectJson(await post(subject, sent, key), 201);
      assert.deepEqual(expectJson(await post(subject, sent, key), 201), made);
    },
  },
];

function lost(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, randomUUID()]));
}
