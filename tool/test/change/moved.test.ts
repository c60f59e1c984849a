import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Files } from "../../src/new/slice/slice.ts";
import { made, Owner } from "./owner.ts";

const hono = { framework: "hono" } as const;

/** A version of Dory whose projects have a file more. */
const older: Files = new Map([
  ...made(hono),
  [
    "src/core/pulse.ts",
    "export const beat = 60;\nexport interface Pulse {\n  rate: number;\n}\nexport const oldBeat = 59;\n",
  ],
]);

/** What that file exported is in two others now. */
const newer: Files = new Map([
  ...made(hono),
  ["src/core/log.ts", `${made(hono).get("src/core/log.ts")}\nexport const beat = 60;\n`],
  [
    "src/core/environment.ts",
    `${made(hono).get("src/core/environment.ts")}\nexport interface Pulse {\n  rate: number;\n}\n`,
  ],
]);

describe("a file whose content is in others now", () => {
  test("takes along what owners import from it, each name to its new file", async () => {
    const owner = await Owner.ofFiles(older);
    await owner.write(
      "src/ours/pulse.ts",
      `import { beat, type Pulse } from "../core/pulse.ts";

declare module "../core/pulse.ts" {
  interface Pulse {
    isOurs: boolean;
  }
}

export const pulse: Pulse = { rate: beat, isOurs: true };
`,
    );
    const { merged, notes } = await owner.update(() => newer);
    assert.deepEqual([merged.conflict?.paths, notes], [undefined, []]);
    assert.equal(
      owner.read("src/ours/pulse.ts"),
      `import { beat } from "../core/log.ts";
import { type Pulse } from "../core/environment.ts";

declare module "../core/environment.ts" {
  interface Pulse {
    isOurs: boolean;
  }
}

export const pulse: Pulse = { rate: beat, isOurs: true };
`,
    );
  });

  test("does so however the import is written, and whatever git prints for the user", async () => {
    const owner = await Owner.ofFiles(older);
    await owner.git("config", "grep.lineNumber", "true");
    await owner.git("config", "grep.column", "true");
    const write = (name: string, text: string) => owner.write(`src/ours/${name}.ts`, text);
    await write(
      "single",
      "import { beat, type Pulse } from '../core/pulse.ts'\nexport const pulse: Pulse = { rate: beat }\n",
    );
    await write("dynamic", 'export const load = async () => (await import("../core/pulse.ts")).beat;\n');
    const commented = `import {
  // How often.
  beat, // a minute
  /* of
     a heart */
  type Pulse, // the rest
} from "../core/pulse.ts";
export const pulse: Pulse = { rate: beat };
`;
    await write("commented", commented);
    const { merged, notes } = await owner.update(() => newer);
    assert.equal(merged.conflict?.paths, undefined);
    assert.deepEqual(notes, ["src/ours/dynamic.ts imports src/core/pulse.ts, which is gone: Dory no longer makes it."]);
    assert.match(
      owner.read("src/ours/single.ts"),
      /^import \{ beat \} from '\.\.\/core\/log\.ts'\nimport \{ type Pulse \} from '\.\.\/core\/environment\.ts'\n/,
    );
    const text = owner.read("src/ours/commented.ts");
    for (const comment of ["// How often.", "// a minute", "/* of\n     a heart */", "// the rest"])
      assert.ok(text.includes(`${comment}\n`), text);
    assert.match(text, /^ {2}beat,\n\} from "\.\.\/core\/log\.ts";$/m);
    assert.match(text, /^ {2}type Pulse,\n\} from "\.\.\/core\/environment\.ts";$/m);
  });

  test("is named if nothing has what owners import from it", async () => {
    const owner = await Owner.ofFiles(older);
    await owner.write("src/ours.ts", 'export { beat, oldBeat } from "./core/pulse.ts";\n');
    const { notes } = await owner.update(() => newer);
    assert.deepEqual(notes, ["src/ours.ts imports src/core/pulse.ts, which is gone: Dory no longer makes it."]);
    assert.equal(
      owner.read("src/ours.ts"),
      'export { beat } from "./core/log.ts";\nexport { oldBeat } from "./core/pulse.ts";\n',
    );
  });
});
