import { dirname } from "node:path/posix";
import { isKit } from "../kit.ts";
import type { Repository } from "./git.ts";
import { listFiles } from "./moved.ts";
import type { Settled } from "./settle.ts";

interface Trees {
  /** A commit or tree with the owner's changes. */
  ours: string;
  /** The pristine commits before and after. */
  base: string | undefined;
  theirs: string;
}

/** The tools of projects are never merged: what differs from the pristine files is replaced or removed. */
export async function settleKits(repository: Repository, { ours, base, theirs }: Trees): Promise<Settled[]> {
  const read = async (tree: string) =>
    new Map([...(await listFiles(repository, tree))].filter(([path]) => isKit(path)));
  const [present, pristine] = [await read(ours), await read(theirs)];
  const before = base === undefined ? pristine : await read(base);
  const folders = new Set([...before.keys(), ...pristine.keys()].map(dirname));
  const removed = [...present.keys()].filter((path) => folders.has(dirname(path)) && !pristine.has(path));
  const replaced = [...pristine].filter(([path, { id }]) => present.get(path)?.id !== id);
  const files = replaced.map(async ([path, { mode, id }]) => {
    return { path, file: { mode, text: await repository.git(["cat-file", "blob", id]) } };
  });
  return [...removed.map((path) => ({ path })), ...(await Promise.all(files))];
}
