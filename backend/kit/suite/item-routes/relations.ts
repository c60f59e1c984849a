import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { resourcesIn } from "../document.ts";
import { validItem } from "../items.ts";
import { findTarget, listReferring, withReferences } from "../relations/prepare.ts";
import { type Check, expectFaults, expectMissing, expectProblem, type Subject } from "../suite.ts";
import { change, expectUnchanged, forItems, known, make } from "./item.ts";

const isFor: Check["isFor"] = (subject) => listReferring(subject).length > 0;

export const itemReferenceChecks = forItems([
  {
    name: "a change to a reference that does not exist is 422, and does not affect other changes",
    isFor,
    async run(subject) {
      const made = await Promise.all(Array.from({ length: 8 }, () => make(subject)));
      const lost = Object.fromEntries(listReferring(subject).map((name) => [name, randomUUID()]));
      const pointers = Object.keys(lost).map((name) => `#/${name}`);
      const replies = await Promise.all(
        made.map((one, index) => change(subject, "PATCH", one, index % 2 === 0 ? lost : {})),
      );
      for (const [index, reply] of replies.entries())
        if (index % 2 === 0) expectFaults(reply, pointers);
        else known(reply);
      const [first = assert.fail()] = made;
      expectFaults(await change(subject, "PUT", first, { ...validItem(subject.item), ...lost }), pointers);
      await expectUnchanged(subject, first);
    },
  },
  {
    name: "an item that others refer to is not deleted: 409, until they are deleted or refer to another item",
    isFor,
    async run(subject) {
      for (const name of listReferring(subject)) {
        const target = await targetOfField(subject, name);
        const needed = await make(target);
        const referrer = await make(subject, { ...validItem(subject.item), [name]: needed.item.id });
        const replies = await Promise.all(Array.from({ length: 3 }, () => change(target, "DELETE", needed)));
        for (const reply of replies) assert.match(expectProblem(reply, 409, "conflict").detail, /refer/);
        await expectUnchanged(target, needed);
        assert.equal((await change(subject, "DELETE", referrer)).status, 204);
        assert.equal((await change(target, "DELETE", needed)).status, 204);
        expectMissing(await change(target, "DELETE", needed));
      }
    },
  },
]);

/** The resource that a field refers to, ready to be used. */
async function targetOfField(subject: Subject, name: string): Promise<Subject> {
  const to = findTarget(subject.item.properties[name] ?? {});
  const resource = resourcesIn(subject.document).find(({ path }) => path.endsWith(`/${to}`));
  return withReferences({ ...subject, ...(resource ?? assert.fail()) });
}
