import assert from "node:assert/strict";
import { test } from "node:test";
import { slack } from "../../src/core/features/webhooks/sources/slack.ts";

test("a challenge of Slack is answered only if it is text", () => {
  const ask = (challenge: unknown) => slack.answer?.({ type: "url_verification", challenge } as never);
  assert.deepEqual(ask("abc"), { challenge: "abc" });
  for (const challenge of [undefined, null, 1, ["abc"], {}, { toString: 1 }]) assert.equal(ask(challenge), undefined);
});
