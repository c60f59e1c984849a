import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mask } from "../../src/mask.ts";
import { listHiddenParts } from "../../src/publish/credentials.ts";

describe("a message about a secret", () => {
  const cases: [secret: string, message: string, shown: string][] = [
    [
      "postgres://shop:not-a-secret@database.internal:5432/items",
      "ENOTFOUND database.internal: postgres://shop:not-a-secret@database.internal:5432/items",
      "ENOTFOUND database.internal: postgres://shop:***@database.internal:5432/items",
    ],
    ["postgres://shop:n%2Ft-a-secret@db/items", "refused n/t-a-secret, n%2Ft-a-secret", "refused ***, ***"],
    [
      "postgres://shop:abc@db/items",
      "abc cannot open postgres://shop:abc@db/items",
      "abc cannot open postgres://shop***db/items",
    ],
    ["postgres://db/items?user=shop&password=not-a-secret", "db: not-a-secret", "db: ***"],
    ["test-token-not-a-secret", "the token test-token-not-a-secret", "the token ***"],
    ["https://user:not-a-secret@hooks.example.com/T00/B00", "POST hooks.example.com/T00/B00", "POST ***"],
  ];
  for (const [secret, message, shown] of cases)
    test(`hides what is secret in it, and nothing else: ${shown}`, () => {
      assert.equal(mask(message, listHiddenParts(secret)), shown);
    });
});
