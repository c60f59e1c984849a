import { createGit, type RunGit } from "../git.ts";

/** The commit of a folder, and whether it has uncommitted changes. */
export async function readCommit(
  folder: string,
): Promise<{ commit: string | null; isDirty: boolean; committedAt: string }> {
  const git = createGit(folder, { GIT_OPTIONAL_LOCKS: "0" });
  const { stdout } = await git(["cat-file", "--batch"], { input: "HEAD\n" });
  const [, commit] = /^([0-9a-f]{40,64}) commit /.exec(stdout) ?? [];
  if (commit === undefined) return { commit: null, isDirty: true, committedAt: "0" };
  const [, committedAt = "0"] = /^committer .* (\d+) [+-]\d{4}$/m.exec(stdout) ?? [];
  return { commit, isDirty: await hasChanges(git), committedAt };
}

async function hasChanges(git: RunGit): Promise<boolean> {
  const { code, stdout } = await git(["status", "--porcelain", "--", "."]);
  return code !== 0 || stdout.trim() !== "";
}
