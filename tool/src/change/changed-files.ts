import type { ComparedFile } from "../new/compare.ts";
import type { Change } from "./change.ts";
import type { Repository } from "./git.ts";
import { findCompared } from "./report.ts";

const form = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];

/** The files that a change would touch, each with its diff. */
export async function listChangedFiles(repository: Repository, change: Change): Promise<ComparedFile[]> {
  const { git } = repository;
  const [from, to] = findCompared(repository, change);
  const words = (await git(["diff", ...form, "--name-status", "-z", from, to])).split("\0");
  const patch = await git(["diff", ...form, "--patch", from, to]);
  // Lines of files begin with a space, a plus or a minus.
  const sections = patch.split(/^diff --git .*\n/m).slice(1);
  return sections.map((section, index) => {
    const diff = section.slice(Math.max(0, section.search(/^@@ /m)));
    const lines = diff.startsWith("@@ ") ? diff.split("\n") : [];
    return {
      path: words[2 * index + 1] ?? "",
      state: states[words[2 * index] ?? ""] ?? "changed",
      added: lines.filter((line) => line.startsWith("+")).length,
      removed: lines.filter((line) => line.startsWith("-")).length,
      diff: lines.length > 0 ? diff : "",
    };
  });
}

const states: Record<string, ComparedFile["state"]> = { A: "added", D: "removed" };
