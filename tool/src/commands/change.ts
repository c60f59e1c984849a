import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadBackend } from "../backend.ts";
import type { Make } from "../change/base.ts";
import { applyChange, planChange } from "../change/change.ts";
import { describeAfter } from "../change/describe.ts";
import { createChange, createUpdate, type Edit, readAddition, readRemoval } from "../change/edit.ts";
import { addToEnv, checkEnv, printNewEnv } from "../change/env.ts";
import { checkClean, openRepository } from "../change/git.ts";
import { installAfter } from "../change/install.ts";
import { conflictFault, listNotes, printPlan } from "../change/report.ts";
import { checkFolders, limitToService, readServiceAddition, readServiceRemoval } from "../change/services.ts";
import { findNewerVersion } from "../change/update.ts";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { findLocation } from "../location.ts";
import { filesFor } from "../new/application.ts";
import { endPrograms } from "../new/programs.ts";
import { print, printError } from "../output.ts";
import { addUsage, changeUsage, removeUsage, updateUsage } from "../usage/change.ts";
import { version } from "../version.ts";

interface Flags {
  service?: string;
  plan?: boolean;
  diff?: boolean;
  install?: boolean;
}

/** Adds something to the request of a project. */
export async function addCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(addUsage, args);
  const [word, ...rest] = positionals;
  return isService(word) ? change(readServiceAddition(rest), values) : changeWithin(readAddition(positionals), values);
}

/** Removes something from it. */
export async function removeCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(removeUsage, args);
  const [word, ...rest] = positionals;
  return isService(word) ? change(readServiceRemoval(rest), values) : changeWithin(readRemoval(positionals), values);
}

const isService = (word: string | undefined) => /^services?$/.test(word ?? "");

/** Changes a single choice, or a field. */
export async function changeCommand(args: string[]): Promise<number> {
  const { framework, database, node, field, ...flags } = readFlags(changeUsage, args).values;
  const single = Object.entries({ framework, database, node }).filter(([, value]) => value !== undefined);
  return changeWithin(createChange(Object.fromEntries(single), field === undefined ? {} : { fields: field }), flags);
}

/** Updates a project to this version, or checks for a newer one. */
export async function updateCommand(args: string[]): Promise<number> {
  const { check, ...flags } = readFlags(updateUsage, args).values;
  if (!check) return change(createUpdate(version), flags);
  const newer = await findNewerVersion();
  if (newer === undefined) print(`Dory ${version} is the newest version.`);
  else print(`Dory ${newer} is available, this is ${version}. In a project: npx dory@${newer} update`);
  return 0;
}

/** Changes the project, or the service that is named or whose folder this is. */
async function changeWithin(edit: Edit, { service = findLocation(".").service, ...flags }: Flags): Promise<number> {
  return change(limitToService(edit, service), flags);
}

async function change(edit: Edit, { service, plan = false, diff = false, install = true }: Flags): Promise<number> {
  if (service !== undefined) throw new Fault("usage", "--service is for a change to one service. Leave it out.");
  if (diff && !plan) throw new Fault("usage", "--diff works only with --plan.");
  return plan ? showPlan(edit, diff) : makeChange(edit, install);
}

/** Makes projects from the backend in this package. */
function createMake(): Make {
  const backend = loadBackend();
  return (request) => filesFor(request, backend);
}

async function makeChange(edit: Edit, install: boolean): Promise<number> {
  const { folder } = findLocation(".");
  const repository = await openRepository(folder);
  const state = onInterrupt();
  await checkClean(repository);
  const planned = await planChange(repository, createMake(), edit);
  checkFolders(folder, edit);
  for (const line of listNotes(planned)) print(line);
  if (planned.steps.length === 0) {
    print(`Nothing to change: apart from your changes, this project is what Dory ${version} makes.`);
    return 0;
  }
  const env = printNewEnv(planned.before, planned.after);
  checkEnv(folder, env);
  state.critical = applyChange(repository, planned).then(() => {
    const next = planned.merged.conflict
      ? "git status shows its conflicts"
      : "run npm install, then commit package-lock.json";
    state.text = `"${edit.title}" is merged into ${repository.branch}: ${next}.`;
  });
  await state.critical;
  if (planned.merged.conflict) throw conflictFault(planned);
  print(`${edit.title}: merged into ${repository.branch}. To undo it: git reset --hard ${shorten(repository.head)}`);
  if (planned.steps.every(({ isRecordOnly }) => isRecordOnly))
    print("No file changed: only the history now records what Dory made.");
  const added = addToEnv(folder, env);
  if (added.length > 0) print(`.env now has ${added.join(", ")}, with values for this machine.`);
  await installAfter(repository, planned, install);
  await describeAfter(repository, planned, install);
  return 0;
}

/** Works in a temporary object database, so the repository stays unchanged. */
async function showPlan(edit: Edit, isWhole: boolean): Promise<number> {
  const temporary = mkdtempSync(join(tmpdir(), "dory-"));
  try {
    const { folder } = findLocation(".");
    const { git } = await openRepository(folder);
    const objects = resolve(folder, (await git(["rev-parse", "--git-path", "objects"])).trim());
    const env = { GIT_OBJECT_DIRECTORY: temporary, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects) };
    const repository = await openRepository(folder, env);
    const planned = await planChange(repository, createMake(), edit);
    checkFolders(folder, edit);
    print(await printPlan(repository, planned, isWhole));
    return planned.merged.conflict ? 1 : 0;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** On Ctrl-C, waits for the critical part, prints what is done and exits. */
function onInterrupt() {
  const state: { critical: Promise<unknown>; text: string } = {
    critical: Promise.resolve(),
    text: "Nothing was changed.",
  };
  const end = async () => {
    await endPrograms();
    await state.critical.catch(() => {});
    printError(`\nInterrupted. ${state.text}`);
    process.exit(130);
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  return state;
}

const shorten = (commit: string) => commit.slice(0, 9);
