import { execute } from "../execute.ts";

/** The commit of a folder, and whether it has uncommitted changes. */
export async function commitOf(
  folder: string,
): Promise<{ commit: string | null; isDirty: boolean; committedAt: string }> {
  // Not git log: that would let the repository choose the program that checks signatures.
  const { stdout } = await git(folder, ["cat-file", "--batch"], [], "HEAD\n");
  const [, commit] = /^([0-9a-f]{40,64}) commit /.exec(stdout) ?? [];
  if (commit === undefined) return { commit: null, isDirty: true, committedAt: "0" };
  const [, committedAt = "0"] = /^committer .* (\d+) [+-]\d{4}$/m.exec(stdout) ?? [];
  return { commit, isDirty: await hasChanges(folder), committedAt };
}

async function hasChanges(folder: string): Promise<boolean> {
  const filters = await filtersOf(folder);
  // A name with "=" cannot be passed on a command line. It may be an attack.
  if (filters === undefined || filters.some((name) => name.includes("="))) return true;
  const none = filters.flatMap((name) => ["clean=", "process=", "required=false"].map((end) => `${name}.${end}`));
  const status = ["status", "--porcelain", "--ignore-submodules=dirty", "--", "."];
  const { code, stdout } = await git(folder, status, none);
  return code !== 0 || stdout.trim() !== "";
}

/** The filters that the repository defines; those of the user are trusted. Undefined if git fails. */
async function filtersOf(folder: string): Promise<string[] | undefined> {
  const pattern = "^filter\\..*\\.(clean|process)$";
  const { code, stdout } = await git(folder, ["config", "-z", "--show-scope", "--name-only", "--get-regexp", pattern]);
  if (code > 1) return undefined;
  const words = stdout.split("\0");
  const names = words.filter((_, index) => /^(local|worktree)$/.test(words[index - 1] ?? "") && index % 2 === 1);
  return [...new Set(names.map((name) => name.replace(/\.\w+$/, "")))];
}

/** Runs git without the programs that the folder's configuration names: they are not trusted. */
function git(folder: string, args: string[], settings: string[] = [], input?: string) {
  const fixed = ["core.fsmonitor=false", "core.hooksPath=/dev/null", ...settings];
  const flags = ["--no-pager", ...fixed.flatMap((setting) => ["-c", setting])];
  // Otherwise git would fetch missing objects, through any program that is configured as a transport.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
  return execute("git", [...flags, ...args], { cwd: folder, env, ...(input === undefined ? {} : { input }) });
}
