import { Fault } from "../fault.ts";
import type { AnyRequest } from "../new/services.ts";
import { fingerprintOf } from "../new/trailer.ts";
import { version } from "../version.ts";
import { type Base, compareVersions, findBase, type Make } from "./base.ts";
import type { Edit } from "./edit.ts";
import type { Repository } from "./git.ts";
import { leaveConflict, type Merged, mergeSteps, moveBranch, type Step } from "./merge.ts";
import { commitPristine } from "./pristine.ts";

/** A change that is worked out, with nothing touched yet. */
export interface Change {
  title: string;
  before: AnyRequest;
  after: AnyRequest;
  /** What its owner should know. */
  notes: string[];
  steps: Step[];
  merged: Merged;
  /** The project as Dory made it last, and as it makes it now. */
  pristine: { from: string; to: string };
}

/** Makes the project again from another request, or by this version, and merges it in git's database. */
export async function planChange(repository: Repository, make: Make, edit: Edit): Promise<Change> {
  const base = await findBase(repository, make);
  const after = edit.apply(base.request);
  checkVersion(base, after === base.request);
  const files = make(after);
  const steps = [...base.steps];
  if (fingerprintOf(files) !== base.fingerprint) {
    const commit = await commitPristine(repository, files, `${edit.title}, as Dory makes it`, [base.commit]);
    steps.push({ commit, subject: edit.title });
  }
  const merged = await mergeSteps(repository, steps);
  const pristine = { from: base.commit, to: steps.at(-1)?.commit ?? base.commit };
  return { title: edit.title, before: base.request, after, notes: base.notes, steps, merged, pristine };
}

/** Moves the branch to what was worked out, or leaves the conflict for its owner. */
export async function applyChange(repository: Repository, { merged }: Change): Promise<void> {
  if (merged.head !== repository.head) await moveBranch(repository, merged.head);
  if (merged.conflict) await leaveConflict(repository, merged.conflict.step);
}

/** A change of the request and one of the version are two merges, so that each can be understood. */
function checkVersion(base: Base, isUpdate: boolean): void {
  const order = compareVersions(base.version, version);
  if (order > 0)
    throw new Fault(
      "old_dory",
      `This project was made by Dory ${base.version}, which is newer than this one (${version}). Use that: npx dory@${base.version}.`,
    );
  if (base.version !== version && !isUpdate)
    throw new Fault(
      "new_dory",
      `This project was made by Dory ${base.version}, and this is ${version}. Run dory update first, or use that version: npx dory@${base.version}.`,
    );
}
