import gt from "semver/functions/gt.js";
import { Fault } from "../fault.ts";
import type { AnyRequest } from "../new/services.ts";
import { hashFiles } from "../new/trailer.ts";
import { version } from "../version.ts";
import { type Base, findBase, type Make } from "./base.ts";
import type { Edit } from "./edit.ts";
import type { Repository } from "./git.ts";
import { settleKits } from "./kit.ts";
import { findLostImports } from "./lost.ts";
import { type Merged, mergeSteps, type Step } from "./merge.ts";
import { writeMigrations } from "./migrations.ts";
import { commitPristine } from "./pristine.ts";
import type { Settled } from "./settle.ts";

/** A planned change. Nothing is applied yet. */
export interface Change {
  title: string;
  before: AnyRequest;
  after: AnyRequest;
  /** Notes for the owner. */
  notes: string[];
  steps: Step[];
  merged: Merged;
  /** The pristine commits before and after the change. */
  pristine: { from: string; to: string };
}

/** Makes the project from the changed request or with this version, and merges it in git's database. */
export async function planChange(repository: Repository, make: Make, edit: Edit): Promise<Change> {
  const base = await findBase(repository, make);
  const after = edit.apply(base.request);
  checkVersion(base, after === base.request);
  const files = make(after);
  const steps = [...base.steps];
  if (hashFiles(files) !== base.fingerprint) {
    const commit = await commitPristine(repository, files, `${edit.title}, as Dory makes it`, [base.commit]);
    const additions = await writeMigrations(repository, { title: edit.title, before: base.request, after });
    steps.push({ commit, subject: edit.title, additions });
  }
  const changed = await settleKits(repository, { ours: repository.head, base: undefined, theirs: base.commit });
  // The pristine files are in the history already: merging them again only restores the tools.
  if (changed.length > 0 && steps.length === 0) steps.push({ commit: base.commit, subject: "Restore .dory" });
  const merged = await mergeSteps(repository, steps);
  const pristine = { from: base.commit, to: steps.at(-1)?.commit ?? base.commit };
  const lost = await findLostImports(repository, {
    before: base.commit,
    pristine: merged.conflict?.step.commit ?? pristine.to,
    merged: merged.conflict?.tree ?? merged.tree,
    conflicts: merged.conflict?.paths ?? [],
  });
  const notes = [...base.notes, ...changed.map(noteOn), ...lost];
  return { title: edit.title, before: base.request, after, notes, steps, merged, pristine };
}

const noteOn = ({ path }: Settled) =>
  `${path} is not as Dory made it: it was changed or removed. It is replaced by that of Dory ${version}.`;

/** A change of the request and an update of the version are separate merges, so that each is easy to review. */
function checkVersion(base: Base, isUpdate: boolean): void {
  if (gt(base.version, version))
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
