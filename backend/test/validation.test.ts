import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { invalidItem, Problem, readFaults, validate, writeAnswer } from "../src/core/problem.ts";
import { exactly } from "../src/core/resource.ts";

let checked = 0;
const isEven = v.check((value: number) => {
  checked++;
  return value % 2 === 0;
}, "must be even");
const Sizes = exactly({ name: v.string("must be a string"), sizes: v.array(v.pipe(v.number(), isEven)) });

test("checking a list stops after 20 faults, so that a wrong list costs no more than a right one", async () => {
  const body = await refused({ name: "x", sizes: Array.from({ length: 45_000 }, () => 1) });
  assert.ok(checked <= 21, `${checked} elements were checked`);
  assert.equal(body.errors.length, 20);
  assert.equal(body.errors[19].pointer, "#/sizes/19");
  assert.equal(body.detail, "sizes.0 must be even (1 of more than 20 faults)");
});

test("up to 20 faults are all found, wherever they are", async () => {
  const sizes = Array.from({ length: 45_000 }, (_, n) => (n % 2500 === 0 ? 1 : 2));
  const body = await refused({ name: 5, sizes, more: 1 });
  assert.equal(body.errors.length, 20);
  assert.equal(body.errors[18].pointer, "#/sizes/42500");
  assert.equal(body.detail, "name must be a string (1 of 20 faults)");
});

test("of many unknown fields 20 are listed", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`unknown${n}`, n]));
  const body = await refused({ name: "x", sizes: [], ...unknown });
  assert.equal(body.errors.length, 20);
  assert.equal(body.detail, "unknown0 is not a known field (1 of more than 20 faults)");
});

test("of the faults that another validator reports, few are looked at", () => {
  let read = 0;
  const issues = Array.from({ length: 45_000 }, (_, n) => ({
    message: "is wrong",
    get path() {
      read++;
      return ["list", n];
    },
  }));
  assert.equal(readFaults({ issues }).length, 21);
  assert.equal(invalidItem(issues).more.errors?.length, 21);
  assert.ok(read < 100, `${read} faults were read`);
});

async function refused(value: unknown) {
  const problem = await validate(Sizes, value).catch((error) => error);
  assert.ok(problem instanceof Problem);
  return JSON.parse(writeAnswer(problem, "id").body);
}

test("a fault whose message names the field is not named twice, and one of the whole body points to it", () => {
  assert.equal(invalidItem([{ path: ["name"], message: "name is too short" }]).message, "name is too short");
  assert.equal(invalidItem([{ path: ["name"], message: "is too short" }]).message, "name is too short");
  // As arktype has it: `map` of such a list makes one with a hole.
  class Path extends Array<PropertyKey> {}
  const { message, more } = invalidItem([{ path: new Path(), message: "must be an object" }]);
  assert.deepEqual([message, more.errors?.[0]?.pointer], ["The body must be an object", "#"]);
});
