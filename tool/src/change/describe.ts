import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import { npmRun } from "../new/programs.ts";
import type { Reporter } from "../progress.ts";
import type { Change } from "./change.ts";
import type { Repository } from "./git.ts";
import { listFolders } from "./install.ts";

const document = "openapi.json";

/**
 * Describes the owner's routes again after a merge: what was merged may change what they answer, and only the project
 * itself knows them. Without such routes the merged document is complete.
 */
export async function describeAfter(
  repository: Repository,
  change: Change,
  { isWanted, say, interrupted }: Reporter & { isWanted: boolean },
): Promise<void> {
  const { folder, branch } = repository;
  const due = await findDueFolders(repository, change);
  const files = due.map((name) => join(name, document));
  const next = `Run npm run openapi${due.join() === "" ? "" : ` in ${due.join(", ")}`}, then git commit -m 'Describe routes' ${files.join(" ")}`;
  if (due.length === 0) return;
  if (!isWanted || !due.every((name) => existsSync(join(folder, name, "node_modules")))) {
    say(`${files.join(", ")} may not have what your own routes answer now. ${next}`);
    return;
  }
  for (const name of due) {
    const reason = await npmRun("openapi", join(folder, name), interrupted);
    if (reason !== undefined)
      throw new Fault(
        "npm_openapi",
        `The change is merged into ${branch}, but npm run openapi failed:\n${reason}\nFix this. ${next}`,
      );
  }
  if (await commitDocuments(repository, files))
    say(`${files.join(", ")} ${files.length > 1 ? "are" : "is"} updated by npm run openapi, and committed.`);
}

/** The folders whose document has routes of the owner: it is not the one that Dory made. */
async function findDueFolders(
  { git, tryGit, prefix }: Repository,
  { merged, pristine, after }: Change,
): Promise<string[]> {
  const isOwn = async (name: string) => {
    const path = `${prefix}${join(name, document)}`;
    const ids = await tryGit(["rev-parse", `${merged.head}:${path}`, `${pristine.to}:${path}`]);
    const [own, made] = ids.stdout.split("\n");
    return ids.code === 0 && own !== made;
  };
  const changed = await git(["diff", "--name-only", pristine.from, pristine.to]);
  const folders = changed === "" ? [] : listFolders(after);
  return (await Promise.all(folders.map(async (name) => ((await isOwn(name)) ? [name] : [])))).flat();
}

async function commitDocuments({ git, authorship }: Repository, files: string[]): Promise<boolean> {
  if ((await git(["status", "--porcelain", "--", ...files])) === "") return false;
  await git([...authorship.before, "commit", "--quiet", "-m", "Describe routes", "--", ...files]);
  return true;
}
