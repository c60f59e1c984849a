import { execute } from "../execute.ts";

/** Which commit a folder is at, and whether something in it is not committed. */
export async function commitOf(
  folder: string,
): Promise<{ commit: string | null; isDirty: boolean; committedAt: string }> {
  const head = await execute("git", ["log", "-1", "--format=%H %ct"], { cwd: folder });
  const [commit = null, committedAt = "0"] = head.code === 0 ? head.stdout.trim().split(" ") : [];
  const status = await execute("git", ["status", "--porcelain", "--", "."], { cwd: folder });
  return { commit, isDirty: commit === null || status.stdout.trim() !== "", committedAt };
}
