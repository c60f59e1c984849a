import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { readFlags } from "../src/flags.ts";
import { toCommand } from "../src/new/command.ts";
import { readInputFlags } from "../src/new/input.ts";
import { listOptions } from "../src/new/options.ts";
import { type AnyInput, readAnyInput, readAnyRequest } from "../src/new/services.ts";
import { newUsage } from "../src/usage/new.ts";

/** The request that a shell and dory new make of a command. */
function readCommand(command: string): AnyInput {
  const [, json] = /^echo (.*) \| npx dory new --json$/s.exec(command) ?? [];
  if (json !== undefined) return readAnyInput(JSON.parse(splitWords(json)[0] ?? ""));
  const { values, positionals } = readFlags(newUsage, splitWords(command).slice(3));
  return readInputFlags(positionals[0], values);
}

const splitWords = (text: string) =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

describe("the command that repeats a request", () => {
  const requests: [command: string, input: AnyInput][] = [
    ["npx dory new my-api --framework hono", { name: "my-api", framework: "hono" }],
    [
      "npx dory new my-api --framework hono --node pinned",
      { name: "my-api", framework: "hono", fields: ["name:string(1..200)"], database: "both", node: "pinned" },
    ],
    [
      `npx dory new ../shop --framework nest --field 'price:number(0..)?' --field 'note:string="it'\\''s" unique' --resource 'orders: count:integer(1..), itemId:ref(items)' --database postgres --with auth,cors --webhook github,stripe`,
      {
        name: "shop",
        folder: "../shop",
        framework: "nest",
        fields: ["price:number(0..)?", `note:string="it's" unique`],
        resources: ["orders: count:integer(1..), itemId:ref(items)"],
        database: "postgres",
        features: ["auth", "cors"],
        webhooks: ["github", "stripe"],
      },
    ],
    [
      "npx dory new shop --service api=hono --service web=koa --database postgres",
      {
        name: "shop",
        database: "postgres",
        services: [
          { name: "api", framework: "hono" },
          { name: "web", framework: "koa" },
        ],
      },
    ],
  ];
  test("gives services without a framework the one next to them, which is no flag then", () => {
    const input = { name: "shop", framework: "hono", services: [{ name: "x", framework: "koa" }, { name: "y" }] };
    assert.equal(toCommand(input), "npx dory new shop --service x=koa --service y=hono");
    assert.deepEqual(readAnyRequest(readCommand(toCommand(input))), readAnyRequest(input));
  });

  for (const [command, input] of requests)
    test(command, () => {
      assert.equal(toCommand(input), command);
      if (!input.fields?.some((field) => field.includes("unique")))
        assert.deepEqual(readAnyRequest(readCommand(command)), readAnyRequest({ ...input }));
      else assert.deepEqual(readCommand(command), input);
    });

  test("is JSON on stdin if services differ in more than their frameworks", () => {
    const input = { name: "shop", services: [{ name: "api", framework: "hono", fields: ["a:string=it's"] }] };
    assert.deepEqual(readCommand(toCommand(input)), input);
  });

  test("passes what is wrong as one word, too", () => {
    for (const value of ["$(touch x)", "a'b", "; ls", "a\nb", "*"])
      assert.deepEqual(readCommand(toCommand({ name: "my-api", framework: "hono", fields: [value] })).fields, [value]);
  });
});

test("every choice has a title and a sentence, and every example can be asked for", async () => {
  const { version: _, defaults: __, texts, ...lists } = await listOptions();
  for (const { name, title, sentence } of Object.values(lists).flat())
    assert.ok(name && title && /^[A-Z].*\.$/.test(sentence), JSON.stringify([name, title, sentence]));
  assert.equal(lists.types.length, new Set(lists.types.map(({ example }) => example.split(":")[1])).size);
  const fields = lists.types.map(({ example }, index) => example.replace(/^\w+/, `field${index}`));
  readAnyRequest({ name: "a", framework: "hono", fields, resources: [texts.resourceExample] });
});
