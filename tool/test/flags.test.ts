import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Fault } from "../src/fault.ts";
import { printUsage, readFlags, type Usage } from "../src/flags.ts";

const usage = {
  command: "row",
  summary: "move the boat",
  call: "WHERE",
  atMost: 1,
  flags: {
    oars: { type: "string", value: "N", default: "2", help: "how many" },
    song: { type: "string", value: "NAME", multiple: true, help: "sung on the way;\nmay be repeated" },
    fast: { type: "boolean", help: "in a hurry" },
    anchor: { type: "boolean", default: true, help: "do not take it along" },
  },
  notes: ["  Look ahead."],
} as const satisfies Usage;

describe("flags as data", () => {
  test("are read, each with its type", () => {
    const args = ["there", "--song=a", "--song", "-", "--fast", "--no-anchor"];
    const { values, positionals } = readFlags(usage, args);
    assert.deepEqual({ ...values }, { oars: "2", song: ["a", "-"], fast: true, anchor: false });
    assert.deepEqual(positionals, ["there"]);
    const oars: string = values.oars;
    const song: string[] | undefined = values.song;
    const anchor: boolean = values.anchor;
    assert.ok(oars && song && !anchor);
  });

  test("leave everything after -- to the command", () => {
    assert.deepEqual(readFlags(usage, ["--", "--fast"]).positionals, ["--fast"]);
  });

  test("print the help page", () => {
    assert.equal(
      printUsage(usage),
      `dory row WHERE [options]

  --oars N     how many (default: 2)
  --song NAME  sung on the way;
               may be repeated
  --fast       in a hurry
  --no-anchor  do not take it along

  Look ahead.
`,
    );
    assert.equal(printUsage({ ...usage, call: "", flags: {}, notes: [] }), "dory row\n");
  });

  const mistakes: [string[], string][] = [
    [["--fasst"], "dory row has no flag --fasst. Did you mean --fast? See dory row --help."],
    [["-f"], "dory row has no flag -f. See dory row --help."],
    [["--plan"], "dory row has no flag --plan. See dory row --help."],
    [["--no-fast"], "dory row has no flag --no-fast. See dory row --help."],
    [["--no-oars"], "dory row has no flag --no-oars. See dory row --help."],
    [["--oars"], "--oars needs a value: --oars N. See dory row --help."],
    [["--oars", "--fast"], "--oars needs a value: --oars N. See dory row --help."],
    [["--fast=yes"], "--fast takes no value. See dory row --help."],
    [["here", "there"], 'Unexpected argument "there". See dory row --help.'],
  ];
  for (const [args, message] of mistakes)
    test(`refuse ${args.join(" ")}`, () => {
      assert.throws(() => readFlags(usage, args), { constructor: Fault, code: "usage", message });
    });

  test("add the command's hint to a usage error", () => {
    assert.throws(() => readFlags({ ...usage, hint: "Ask the cox." }, ["--fasst"]), /--help\. Ask the cox\.$/);
  });
});
