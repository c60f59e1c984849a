import { structuredPatch } from "diff";
import type { Files } from "./slice/slice.ts";

/** A file that is not the same in two projects. */
export interface ComparedFile {
  path: string;
  state: "added" | "removed" | "changed";
  /** Lines. */
  added: number;
  removed: number;
  /** The hunks of a unified diff. */
  diff: string;
}

export function compareFiles(before: Files, after: Files): ComparedFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => compareFile(path, before.get(path), after.get(path)));
}

function compareFile(path: string, before: string | undefined, after: string | undefined): ComparedFile {
  const { hunks } = structuredPatch(path, path, before ?? "", after ?? "", "", "", { context: 3 });
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    path,
    state: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    diff: hunks.map(printHunk).join(""),
  };
}

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

/** An empty side of a hunk is written as the line before it. */
function printHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const [from, to] = [oldLines === 0 ? oldStart - 1 : oldStart, newLines === 0 ? newStart - 1 : newStart];
  return `@@ -${from},${oldLines} +${to},${newLines} @@\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** A unified diff, as `patch -p1` and `git apply` read it. */
export function printDiff(files: ComparedFile[]): string {
  return files
    .map(({ path, state, diff }) => {
      const [from, to] = [
        state === "added" ? "/dev/null" : `a/${path}`,
        state === "removed" ? "/dev/null" : `b/${path}`,
      ];
      return `--- ${from}\n+++ ${to}\n${diff}`;
    })
    .join("");
}
