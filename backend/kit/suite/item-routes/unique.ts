import assert from "node:assert/strict";
import { validItem } from "../items.ts";
import { expectTaken, hasUnique, uniqueIn } from "../unique/checks.ts";
import { change, expectUnchanged, forItems, known, make, pickFields } from "./item.ts";

export const itemUniqueChecks = forItems([
  {
    name: "a change to a value that another item has is 409 and names the field; an item may keep its own",
    isFor: hasUnique,
    async run(subject) {
      const [made, other] = [await make(subject), await make(subject)];
      for (const name of uniqueIn(subject)) {
        const taken = { [name]: other.item[name] };
        expectTaken(await change(subject, "PUT", made, { ...validItem(subject.item), ...taken }), [name]);
        expectTaken(await change(subject, "PATCH", made, taken), [name]);
      }
      expectTaken(await change(subject, "PUT", made, pickFields(other.item)), uniqueIn(subject));
      await expectUnchanged(subject, made);
      await expectUnchanged(subject, other);
      const same = known(await change(subject, "PUT", made, pickFields(made.item)), 200, made.path);
      assert.deepEqual(same, made);
    },
  },
  {
    name: "one of several concurrent items gets a value, which is free again when that item is deleted",
    isFor: hasUnique,
    async run(subject) {
      const [name = ""] = uniqueIn(subject);
      const rivals = await Promise.all(Array.from({ length: 10 }, () => make(subject)));
      const wanted = { [name]: validItem(subject.item)[name] };
      const replies = await Promise.all(rivals.map((one) => change(subject, "PATCH", one, wanted)));
      const winner = replies.findIndex(({ status }) => status === 200);
      for (const [index, reply] of replies.entries()) if (index !== winner) expectTaken(reply, [name]);
      const won = known(replies[winner] ?? assert.fail(), 200, rivals[winner]?.path);
      assert.equal((await change(subject, "DELETE", won)).status, 204);
      await make(subject, { ...validItem(subject.item), ...wanted });
    },
  },
]);
