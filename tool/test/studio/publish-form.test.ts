import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../src/studio/options.ts";
import { readForm } from "../../src/studio/publish-form.ts";
import { publishUsage, rollbackUsage } from "../../src/usage/publish.ts";

/** Flags that are other controls of the page, or for programs. */
const elsewhere = {
  to: "Target",
  "env-file": "Secrets",
  "env-stdin": "Secrets",
  env: "Secrets",
  plan: "Plan",
  json: "the events",
};

test("every flag of dory publish is a control of the page", async () => {
  const { targets, publish } = await readOptions();
  const shown = new Set([...targets.flatMap(({ fields }) => fields), ...publish].map(({ name }) => String(name)));
  assert.deepEqual([...shown, ...Object.keys(elsewhere)].sort(), Object.keys(publishUsage.flags).sort());
});

test("a control has the words and the default of its flag", async () => {
  const { publish } = await readOptions();
  const find = (wanted: string) => publish.find(({ name }) => name === wanted);
  assert.deepEqual(find("health-seconds"), {
    name: "health-seconds",
    title: "Health seconds",
    sentence: "How long each new container may take to become healthy.",
    isRequired: false,
    type: "text",
    placeholder: "60",
  });
  const smoke = find("smoke");
  assert.deepEqual(
    [smoke?.title, smoke?.sentence, smoke?.type === "checkbox" && smoke.checked],
    ["No smoke", "Do not test the image before it is released.", false],
  );
});

test("a form is read as its command reads flags, and nothing else is accepted", () => {
  const given = { port: " ", "health-seconds": "5", smoke: false };
  assert.deepEqual(readForm(publishUsage, given), { "health-seconds": "5", smoke: false });
  assert.deepEqual(readForm(rollbackUsage, { "keep-secrets": true }), { "keep-secrets": true });
  const wrong: [unknown, string][] = [
    [{ folder: "/" }, "unknown_option"],
    [{ to: "docker" }, "unknown_option"],
    [{ "health-second": "5" }, "unknown_option"],
    [{ smoke: "no" }, "request"],
    [{ port: 80 }, "request"],
    [["port"], "request"],
    [null, "request"],
  ];
  for (const [value, code] of wrong)
    assert.throws(
      () => readForm(publishUsage, value),
      (fault: { answer: { body: string } }) => JSON.parse(fault.answer.body).code === code,
      JSON.stringify(value),
    );
});
