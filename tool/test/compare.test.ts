import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { compareFiles, printDiff } from "../src/new/compare.ts";
import type { Files } from "../src/new/slice/slice.ts";
import { writeFiles } from "../src/new/write.ts";
import { run, temporaryFolder } from "./support.ts";

/** Every second line is the same in all of them. */
const mix = (word: string, lines: number, end = "\n") =>
  Array.from({ length: lines }, (_, index) => (index % 2 === 0 ? `${word} ${index}` : `same ${index}`)).join("\n") +
  end;

const figures = (before: Files, after: Files) =>
  compareFiles(before, after).map(({ path, state, added, removed }) => [path, state, added, removed]);

describe("a comparison of two projects", () => {
  test("shows the lines of a file that differ", () => {
    const [before, after] = ["a", "b"].map((word) => new Map([["file", mix(word, 3000)]])) as [Files, Files];
    assert.deepEqual(figures(before, after), [["file", "changed", 1500, 1500]]);
  });

  test("shows a file that differs in more as removed and added whole, and the others as they are", () => {
    const [before, after] = ["a", "b"].map(
      (word) =>
        new Map([
          ...["large", "small"].map((path): [string, string] => [path, mix(word, path === "large" ? 3002 : 4)]),
          [word, mix(word, 9000)],
        ]),
    ) as [Files, Files];
    assert.deepEqual(figures(before, after), [
      ["a", "removed", 0, 9000],
      ["b", "added", 9000, 0],
      ["large", "changed", 3002, 3002],
      ["small", "changed", 2, 2],
    ]);
  });

  test("takes no longer with many such files", () => {
    const [before, after] = ["a", "b"].map(
      (word) => new Map(Array.from({ length: 30 }, (_, index) => [`file-${index}`, mix(word, 1500)])),
    ) as [Files, Files];
    const compared = compareFiles(before, after);
    const exact = compared.filter(({ added }) => added === 750);
    assert.ok(exact.length >= 4 && exact.length <= 8, `${exact.length} are exact`);
    assert.ok(compared.every(({ added, removed }) => added === removed && [750, 1500].includes(added)));
  });

  test("is a patch that makes one of the other", async () => {
    for (const [one, other] of [
      ["\n", "\n"],
      ["", "\n"],
      ["\n", ""],
    ]) {
      const before = new Map([["file", mix("a", 4000, one)]]);
      const after = new Map([["file", mix("b", 4001, other)]]);
      const folders = [before, after].map((files) => {
        const folder = temporaryFolder();
        writeFiles(folder, files);
        return folder;
      }) as [string, string];
      const patch = join(temporaryFolder(), "a.diff");
      writeFileSync(patch, printDiff(compareFiles(before, after)));
      await run(folders[0], "git", "apply", patch);
      await run(folders[0], "diff", "-r", ...folders);
    }
  });
});
