import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import { npmInstall } from "../new/programs.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";
import { lockFile } from "../new/trailer.ts";
import type { Reporter } from "../progress.ts";
import type { Change } from "./change.ts";
import type { Repository } from "./git.ts";

/** Installs what a merge changed, and commits the lock files: npm makes them again, they are never merged. */
export async function installAfter(
  repository: Repository,
  change: Change,
  { isWanted, ...reporter }: Reporter & { isWanted: boolean },
): Promise<void> {
  const { folder, branch } = repository;
  const { say } = reporter;
  const changed = await findChangedFolders(repository, change);
  const locks = changed.map((name) => join(name, lockFile));
  const next = `Run npm install, then git add ${locks.join(" ")} && git commit -m 'Lock packages'`;
  if (isWanted) {
    for (const name of changed) {
      const reason = await npmInstall(join(folder, name), reporter, name);
      if (reason !== undefined)
        throw new Fault(
          "npm_install",
          `The change is merged into ${branch}, but npm install failed:\n${reason}\n${next}`,
        );
    }
  }
  const made = await commitLocks(repository, isWanted ? locks : [], findRemovedLocks(folder, change));
  if (made.length > 0) say(`${made.join(", ")} ${made.length > 1 ? "are" : "is"} updated by npm, and committed.`);
  if (!isWanted && changed.length > 0)
    say(`${changed.map((name) => join(name, "package.json")).join(", ")} changed. ${next}`);
}

/** The folders with packages: the project, or each service. */
export const listFolders = (request: AnyRequest) =>
  isApplication(request) ? request.services.map(({ name }) => name) : [""];

/** The folders whose packages changed. */
async function findChangedFolders({ git, head }: Repository, { merged, after }: Change): Promise<string[]> {
  const isChanged = async (folder: string) =>
    (await git(["diff", "--name-only", head, merged.head, "--", join(folder, "package.json")])) !== "";
  const changed = await Promise.all(listFolders(after).map(async (name) => ((await isChanged(name)) ? [name] : [])));
  return changed.flat();
}

/** Lock files of removed services. */
function findRemovedLocks(folder: string, { before, after }: Change): string[] {
  const gone = listFolders(before).filter((name) => !listFolders(after).includes(name));
  return gone.map((name) => join(name, lockFile)).filter((lock) => existsSync(join(folder, lock)));
}

/** Before npm ran, nothing was uncommitted. */
async function listChangedLocks({ git }: Repository): Promise<string[]> {
  const listed = await git(["ls-files", "-z", "--modified", "--", `:(top,glob)**/${lockFile}`]);
  return listed.split("\0").filter(Boolean);
}

/** Returns the files that npm made, if they were committed. */
async function commitLocks(repository: Repository, made: string[], gone: string[]): Promise<string[]> {
  const { git, authorship } = repository;
  if (gone.length > 0) await git(["rm", "--quiet", "--ignore-unmatch", "--", ...gone]);
  // A workspace has its lock file above the project.
  const others = made.length > 0 ? await listChangedLocks(repository) : [];
  const own = made.filter((path) => existsSync(join(repository.folder, path)));
  const all = [...new Set([...own, ...others, ...gone])];
  if (all.length === 0 || (await git(["status", "--porcelain", "--", ...all])) === "") return [];
  if (own.length > 0) await git(["add", "--", ...own]);
  await git([...authorship.before, "commit", "--quiet", "-m", "Lock packages", "--", ...all]);
  return [...new Set([...own, ...others])];
}
