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

/**
 * How long comparing may take: finding that n lines differ takes some n² steps. A backend with six resources fits, beside the
 * same without one of its choices, and beside most others.
 */
const mostSteps = 18e6;

export function compareFiles(before: Files, after: Files): ComparedFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1));
  let left = mostSteps;
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => {
      // A file gets half of what is left, so that one that differs in everything leaves enough for the others.
      const mostLines = Math.floor(Math.sqrt(left / 2));
      const compared = compareFile(path, before.get(path), after.get(path), mostLines);
      if (compared.state === "changed") left -= Math.min(mostLines, compared.added + compared.removed) ** 2;
      return compared;
    });
}

function compareFile(
  path: string,
  before: string | undefined,
  after: string | undefined,
  mostLines: number,
): ComparedFile {
  const isBoth = before !== undefined && after !== undefined;
  const hunks = (isBoth && findHunks(before, after, mostLines)) || replaceWhole(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    path,
    state: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    diff: hunks.map(printHunk).join(""),
  };
}

/** The hunks of a unified diff; undefined if more lines differ. */
function findHunks(before: string, after: string, mostLines: number): Hunk[] | undefined {
  return structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: mostLines })?.hunks;
}

/** All of one text is removed, and all of the other added. An empty side takes no steps. */
function replaceWhole(before = "", after = ""): Hunk[] {
  const removed = findHunks(before, "", Number.POSITIVE_INFINITY) ?? [];
  const added = findHunks("", after, Number.POSITIVE_INFINITY) ?? [];
  const [one, other] = [...removed, ...added];
  if (!one || !other) return one ? [one] : [];
  return [{ ...one, newStart: other.newStart, newLines: other.newLines, lines: [...one.lines, ...other.lines] }];
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
