import assert from "node:assert/strict";
import { test } from "node:test";
import { Cache } from "../../src/studio/cache.ts";

test("a cache forgets what was used least recently, and nothing for a value that is larger than all of it", () => {
  const cache = new Cache<string>(10);
  const made: string[] = [];
  const find = (key: string, size: number) => {
    const make = () => {
      made.push(key);
      return key;
    };
    return cache.find(key, make, () => size);
  };
  for (const key of ["a", "b", "a", "c", "d"]) find(key, 2);
  assert.equal(find("large", 20), "large");
  for (const key of ["a", "c", "d", "b"]) find(key, 2);
  assert.deepEqual(made, ["a", "b", "c", "d", "large", "b"]);
});
