import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mergeJson } from "../../src/change/data.ts";

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

describe("JSON files are merged by their members", () => {
  const base = { name: "a", scripts: { test: "t" }, dependencies: { hono: "^4", valibot: "^1" } };

  test("what both sides add stands in order, and what one removes is gone", () => {
    const ours = { ...base, description: "Mine", dependencies: { hono: "^4", rambda: "^10", valibot: "^1" } };
    const theirs = { name: "a", scripts: { test: "t", webhooks: "w" }, dependencies: { pg: "^8", valibot: "^1" } };
    const merged = mergeJson(json(base), json(ours), json(theirs));
    assert.equal(
      merged,
      json({
        name: "a",
        scripts: { test: "t", webhooks: "w" },
        dependencies: { pg: "^8", rambda: "^10", valibot: "^1" },
        description: "Mine",
      }),
    );
  });

  test("in the layout of the owner", () => {
    const [before, after] = [{ a: { b: [1, 2] } }, { a: { b: [1, 2] }, c: 1 }];
    const tabs = (value: object) => `${JSON.stringify(value, null, "\t")}\n`;
    assert.equal(mergeJson(json(before), tabs(before), json(after)), tabs(after));
    const formatted = '{\n  "a": {\n    "b": [1, 2]\n  }\n}\n';
    assert.equal(mergeJson(json(before), formatted, json(after)), '{\n  "a": {\n    "b": [1, 2]\n  },\n  "c": 1\n}\n');
  });

  test("tags by their names, and the owner's words about one that both sides added stay", () => {
    const tags = (...names: string[]) => ({ tags: names.map((name) => ({ name, description: `Of ${name}` })) });
    const [before, theirs] = [tags("health", "items"), tags("health", "items", "orders")];
    const mine = { name: "orders", description: "Routes with the tag orders" };
    const ours = { tags: [...before.tags, { name: "cats" }, mine] };
    assert.equal(mergeJson(json(before), json(ours), json(theirs)), json(ours));
    const merged = mergeJson(json(before), json(tags("health", "items", "cats")), json(theirs));
    assert.equal(merged, json(tags("health", "items", "orders", "cats")));
  });

  const conflicts: [title: string, base: string, ours: string, theirs: string][] = [
    ["both sides changed a value", '{"a":1}', '{"a":2}', '{"a":3}'],
    ["both sides added another value", "{}", '{"a":[]}', '{"a":["auth"]}'],
    ["both sides changed a list", '{"a":[1]}', '{"a":[1,2]}', '{"a":[1,3]}'],
    ["one side changed what the other removed", '{"a":{"b":1}}', '{"a":{"b":2}}', "{}"],
    ["a file has comments", "{}", '{"a":1} // Mine.', '{"b":1}'],
  ];
  for (const [title, ...texts] of conflicts)
    test(`not if ${title}`, () => assert.equal(mergeJson(...(texts as [string, string, string])), undefined));
});
