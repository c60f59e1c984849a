import { Fault } from "../fault.ts";
import { npmInstall } from "../new/programs.ts";
import { lockFile } from "../new/trailer.ts";
import { showLine } from "../progress.ts";
import type { Repository } from "./git.ts";

/** Installs what a merge changed, and commits the lock file that npm makes: locks are made again, never merged. */
export async function installAfter(repository: Repository, merged: string, isWanted: boolean): Promise<void> {
  const { git, folder, head, branch } = repository;
  const changed = await git(["diff", "--name-only", head, merged, "--", "package.json"]);
  if (changed === "") return;
  const next = `Run npm install, then git add ${lockFile} && git commit -m 'Lock packages'`;
  if (!isWanted) return console.log(`package.json changed. ${next}`);
  const isTerminal = process.stdout.isTTY && process.env["TERM"] !== "dumb";
  const reason = await npmInstall(folder, isTerminal ? showLine : (title) => void console.log(`${title} …`));
  if (reason !== undefined)
    throw new Fault("npm_install", `The change is merged into ${branch}, but npm install failed:\n${reason}\n${next}`);
  await commitLock(repository);
}

async function commitLock(repository: Repository): Promise<void> {
  const { git, authorship } = repository;
  if ((await git(["status", "--porcelain", "--", lockFile])) === "") return;
  await git(["add", "--", lockFile]);
  await git([...authorship.before, "commit", "--quiet", "-m", "Lock packages", "--", lockFile]);
  console.log(`${lockFile} is made again by npm, and committed.`);
}
