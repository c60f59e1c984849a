import assert from "node:assert/strict";
import { test } from "node:test";
import { remember } from "../src/new/slice/remember.ts";

test("what is used again is remembered, what is not is forgotten", () => {
  let searches = 0;
  const measure = remember((text) => {
    searches++;
    return text.length;
  });
  assert.deepEqual([measure("kept"), measure("kept"), searches], [4, 4, 1]);
  for (let index = 0; index < 1000; index++) {
    measure(`${index}${"x".repeat(10_000)}`);
    measure("kept");
  }
  assert.equal(searches, 1001);
  measure(`0${"x".repeat(10_000)}`);
  assert.equal(searches, 1002);
});
