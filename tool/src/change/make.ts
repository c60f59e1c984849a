import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Backend, loadBackend } from "../backend.ts";
import { Fault } from "../fault.ts";
import { filesFor } from "../new/application.ts";
import type { ComparedFile } from "../new/compare.ts";
import type { Reporter } from "../progress.ts";
import { version } from "../version.ts";
import { applyMerged } from "./apply.ts";
import type { Make } from "./base.ts";
import { type Change, planChange } from "./change.ts";
import { listChangedFiles } from "./changed-files.ts";
import { describeAfter } from "./describe.ts";
import type { Edit } from "./edit.ts";
import { addToEnv, checkEnv, listNames, printNewEnv } from "./env.ts";
import { checkClean, openRepository, type Repository, withVariables } from "./git.ts";
import { installAfter } from "./install.ts";
import { conflictFault, listNotes, printPlan } from "./report.ts";
import { checkFolders } from "./services.ts";

/** Merges a change into the project in a folder. Returns false if there was nothing to change. */
export async function makeChange(
  folder: string,
  edit: Edit,
  { install, ...reporter }: Reporter & { install: boolean },
  load = loadBackend,
): Promise<boolean> {
  const { say, interrupted } = reporter;
  const repository = await openRepository(folder);
  await checkClean(repository);
  const planned = await planChange(repository, createMake(load), edit);
  checkFolders(folder, edit);
  if (interrupted.aborted) throw new Fault("interrupted", "Interrupted. Nothing was changed.");
  for (const line of listNotes(planned)) say(line);
  if (planned.steps.length === 0) {
    say(`Nothing to change: apart from your changes, this project is what Dory ${version} makes.`);
    return false;
  }
  const env = printNewEnv(planned.before, planned.after);
  checkEnv(folder, env);
  await applyMerged(repository, planned.merged);
  if (interrupted.aborted) throw interruptedFault(repository, planned);
  if (planned.merged.conflict) throw conflictFault(planned);
  await finish(repository, planned, env, { ...reporter, isWanted: install }).catch((error) => {
    throw interrupted.aborted ? interruptedFault(repository, planned) : error;
  });
  return true;
}

/** For an interruption after the merge. */
function interruptedFault({ branch }: Repository, { title, merged: { conflict } }: Change): Fault {
  const next = conflict ? "git status shows its conflicts" : "run npm install, then commit package-lock.json";
  return new Fault("interrupted", `Interrupted. "${title}" is merged into ${branch}: ${next}.`);
}

/** What follows a merge. */
async function finish(
  repository: Repository,
  planned: Change,
  env: string,
  reporter: Reporter & { isWanted: boolean },
): Promise<void> {
  const { branch, head } = repository;
  const { say } = reporter;
  say(`${planned.title}: merged into ${branch}. To undo it: git reset --hard ${head.slice(0, 9)}`);
  if (planned.steps.every(({ isRecordOnly }) => isRecordOnly))
    say("No file changed: only the history now records what Dory made.");
  if (env !== "") await extendEnv(repository, env, say);
  await installAfter(repository, planned, reporter);
  await describeAfter(repository, planned, reporter);
}

/** Values are written only where they are not committed. */
async function extendEnv({ folder, tryGit }: Repository, env: string, say: Reporter["say"]): Promise<void> {
  if ((await tryGit(["check-ignore", "--quiet", ".env"])).code !== 0) {
    const names = listNames(env).join(", ");
    say(`.env is not in .gitignore. Add it there, then add ${names} to it: .env.example explains them.`);
    return;
  }
  const added = addToEnv(folder, env);
  if (added.length > 0) say(`.env now has ${added.join(", ")}, with values for this machine.`);
}

/** What a change would do. */
export interface Preview {
  text: string;
  hasConflict: boolean;
}

export async function previewChange(folder: string, edit: Edit, isWhole: boolean): Promise<Preview> {
  return withPlan(folder, edit, loadBackend, async (repository, planned) => ({
    text: await printPlan(repository, planned, isWhole),
    hasConflict: planned.merged.conflict !== undefined,
  }));
}

/** The same as data. */
export interface PreviewedFiles {
  title: string;
  notes: string[];
  files: ComparedFile[];
  conflicts: string[];
  isNothing: boolean;
}

export async function previewFiles(folder: string, edit: Edit, load = loadBackend): Promise<PreviewedFiles> {
  return withPlan(folder, edit, load, async (repository, planned) => {
    const { title, steps, merged } = planned;
    const isNothing = steps.length === 0;
    const files = isNothing ? [] : await listChangedFiles(repository, planned);
    return { title, notes: listNotes(planned), files, conflicts: merged.conflict?.paths ?? [], isNothing };
  });
}

/** Works in a temporary object database, so the repository stays unchanged. */
async function withPlan<T>(
  folder: string,
  edit: Edit,
  load: () => Backend,
  use: (repository: Repository, planned: Change) => Promise<T>,
): Promise<T> {
  const temporary = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const opened = await openRepository(folder);
    const objects = resolve(folder, (await opened.git(["rev-parse", "--git-path", "objects"])).trim());
    const env = { GIT_OBJECT_DIRECTORY: temporary, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
    const repository = withVariables(opened, env);
    const planned = await planChange(repository, createMake(load), edit);
    checkFolders(folder, edit);
    return await use(repository, planned);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Makes projects from the backend in this package. */
function createMake(load: () => Backend): Make {
  const backend = load();
  return (request) => filesFor(request, backend);
}
