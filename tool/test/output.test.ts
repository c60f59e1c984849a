import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeControls } from "../src/output.ts";

test("what is printed cannot control a terminal", () => {
  assert.equal(escapeControls("plain \ttext,\r\nJosé 👩‍🚀 日本\n"), "plain \ttext,\nJosé 👩‍🚀 日本\n");
  assert.equal(escapeControls("\x1b[31mred\x1b[0m"), "red");
  assert.equal(
    escapeControls("\x1b[2J\x1b]8;;http://x\x07\x9b1A\x7f\b\r!"),
    String.raw`\u001b[2J\u001b]8;;http://x\u0007\u009b1A\u007f\u0008\u000d!`,
  );
  assert.equal(escapeControls("a\u202etxt.exe\u2066"), String.raw`a\u202etxt.exe\u2066`);
});

test("JSON that is printed means the same", () => {
  const value = { text: "\x1b[2J \x1b[31m \x9b \u202e \r\n" };
  assert.deepEqual(JSON.parse(escapeControls(JSON.stringify(value))), value);
});
