import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { withNode } from "../../src/commands/studio.ts";
import { temporaryFolder } from "../support.ts";

test("what the studio starts runs on its Node, and finds other programs as the terminal does", () => {
  const [programs, own, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  for (const folder of [own, other]) writeFileSync(join(folder, "node"), "");
  const node = join(own, "node");
  const path = [programs, own, other].join(delimiter);
  assert.equal(withNode(path, node), path);
  const behind = [programs, other, own].join(delimiter);
  assert.equal(withNode(behind, node), [own, behind].join(delimiter));
});
