import compare from "semver/functions/compare.js";
import valid from "semver/functions/valid.js";
import { Fault } from "../fault.ts";
import { type AnyRequest, writeAnyRequest } from "../new/services.ts";
import type { Files } from "../new/slice/slice.ts";
import { hashFiles } from "../new/trailer.ts";
import { version } from "../version.ts";
import { isSame } from "./edit.ts";
import type { Repository } from "./git.ts";
import { mergeRequests } from "./join.ts";
import { mergeTrees, readTree, type Step } from "./merge.ts";
import { commitPristine, findMarks, hasOnly, type Mark, readDoryJson, readRequestText } from "./pristine.ts";

/** The last project that Dory made: a change starts from it. */
export interface Base {
  commit: string;
  version: string;
  request: AnyRequest;
  fingerprint: string;
  /** What must be merged first, so that the history contains this commit. */
  steps: Step[];
  /** Notes for the owner. */
  notes: string[];
}

/** Makes the pristine project for a request. */
export type Make = (request: AnyRequest) => Files;

/** Finds the last pristine commit of a project, or makes it again if the history does not have it. */
export async function findBase(repository: Repository, make: Make): Promise<Base> {
  const { heads, rewritten } = await findMarks(repository);
  const different = heads.filter(
    ({ fingerprint }, index) => heads.findIndex((one) => one.fingerprint === fingerprint) === index,
  );
  const [head, another] = different;
  if (head === undefined) return adopt(repository, make);
  if (another !== undefined) return join(repository, make, different);
  const base = {
    ...head,
    request: await readRequestAt(repository, head.commit),
    steps: [],
    notes: explainRewritten(rewritten),
  };
  return (await recover(repository, make, base, rewritten)) ?? base;
}

function explainRewritten(rewritten: Mark[]): string[] {
  return rewritten.map(
    ({ commit, version }) =>
      `Commit ${commit.slice(0, 9)} has a change by Dory ${version} that was rebased or squashed. It counts as your own change, so expect conflicts with it.`,
  );
}

/**
 * A rebase or squash removes a change from the pristine commits, but its content is in the owner's branch. It is
 * recognised by its mark, or because merging it again would change nothing, and its pristine commit is made again.
 */
async function recover(repository: Repository, make: Make, head: Base, rewritten: Mark[]): Promise<Base | undefined> {
  const subject = "A change that was rebased or squashed";
  const remake = async (commit: string) => {
    const request = await readRequestAt(repository, commit).catch(() => undefined);
    const isNew = request && !(head.version === version && isSame(request, head.request));
    return isNew ? make(request) : undefined;
  };
  for (const mark of rewritten.slice(0, 1)) {
    const files = await remake(mark.commit);
    if (files && hashFiles(files) === mark.fingerprint) return record(repository, files, [head.commit], subject);
  }
  const files = await remake(repository.head);
  if (!files) return undefined;
  const base = await record(repository, files, [head.commit], subject);
  const { tree } = await mergeTrees(repository, repository.head, base.commit);
  return tree === (await readTree(repository, repository.head)) ? base : undefined;
}

async function readRequestAt(repository: Repository, commit: string): Promise<AnyRequest> {
  return readRequestText(await readDoryJson(repository, commit));
}

/** A pristine commit whose content is already in the owner's branch: only the history needs it. */
async function record(
  repository: Repository,
  files: Files,
  parents: string[],
  subject: string,
  notes: string[] = [],
): Promise<Base> {
  const commit = await commitPristine(repository, files, `${subject}, as Dory made it`, parents);
  const step = { commit, subject: `Record what Dory ${version} made`, isRecordOnly: true };
  const request = readRequestText(files.get("dory.json"));
  return { commit, version, request, fingerprint: hashFiles(files), steps: [step], notes };
}

/** Without a mark, `dory.json` has the request and the version of the project. */
async function adopt(repository: Repository, make: Make): Promise<Base> {
  const text = await readDoryJson(repository, repository.head);
  const request = readRequestText(text);
  const { dory: by } = JSON.parse(text ?? "");
  if (!valid(by))
    throw new Fault("no_base", 'No commit in this history was made by Dory, and "dory" in dory.json is not a version.');
  if (by !== version)
    throw new Fault(
      "no_base",
      `No commit in this history was made by Dory, and dory.json names another version (${by}; this is ${version}). Run npx dory@${by} update once, which records what that version made, then run this again.`,
    );
  const files = make(request);
  const root = await findRoot(repository, hashFiles(files));
  if (root !== undefined)
    return { commit: root, version, request, fingerprint: hashFiles(files), steps: [], notes: [] };
  const note = "No commit in this history was made by Dory. The project is recorded from dory.json.";
  return record(repository, files, [], `Project ${request.name}`, [note]);
}

/** The first commit, if it has these files: earlier versions of Dory made it without a mark. */
async function findRoot(repository: Repository, fingerprint: string): Promise<string | undefined> {
  const roots = (await repository.git(["rev-list", "--max-parents=0", "HEAD"])).split("\n").filter(Boolean);
  for (const root of roots) if (await hasOnly(repository, root, fingerprint)) return root;
  return undefined;
}

/** Clones that were changed separately and then merged have two pristine heads. This joins them and their requests. */
async function join(repository: Repository, make: Make, heads: Mark[]): Promise<Base> {
  const readInput = async (commit: string) => writeAnyRequest(await readRequestAt(repository, commit));
  const decided = await readInput(repository.head);
  const [first, ...others] = heads as [Mark, ...Mark[]];
  let request = await readRequestAt(repository, first.commit);
  for (const { commit } of others) {
    const ancestor = (await repository.tryGit(["merge-base", first.commit, commit])).stdout.trim();
    const base = ancestor === "" ? {} : await readInput(ancestor);
    request = mergeRequests(base, writeAnyRequest(request), await readInput(commit), decided);
  }
  const files = make(request);
  const subject = "Join separate changes";
  const commit = await commitPristine(
    repository,
    files,
    `${subject}, as Dory makes them`,
    heads.map((head) => head.commit),
  );
  const newest =
    heads
      .map((head) => head.version)
      .sort(compare)
      .at(-1) ?? version;
  return {
    commit,
    version: newest,
    request,
    fingerprint: hashFiles(files),
    steps: [{ commit, subject }],
    notes: ["Two separate changes were merged in this history. They are joined first."],
  };
}
