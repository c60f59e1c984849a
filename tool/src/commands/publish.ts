import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { escapeControls, print, printError, printJson } from "../output.ts";
import {
  openWork,
  planProject,
  publishProject,
  readHistory,
  readStatus,
  rollBackProject,
  type Watcher,
} from "../publish/actions.ts";
import { readNumber } from "../publish/options.ts";
import { outcomes } from "../publish/outcomes.ts";
import { printPending, printReleases, printStatus, withoutKey } from "../publish/plan.ts";
import { createProgress } from "../publish/progress.ts";
import { findLive } from "../publish/release.ts";
import type { OptionInput } from "../publish/request.ts";
import { pruneSecrets, unpublish, type Work } from "../publish/rollback.ts";
import { readEnvFile, stdin } from "../publish/secrets.ts";
import { exitCodes, type Published, ReleaseFault } from "../publish/target.ts";
import {
  logsUsage,
  publishUsage,
  releasesUsage,
  rollbackUsage,
  secretsUsage,
  statusUsage,
  unpublishUsage,
} from "../usage/publish.ts";

/** Publishes the project in this folder. */
export async function publishCommand(args: string[]): Promise<number> {
  const { values } = readFlags(publishUsage, args);
  // A separate flag for stdin: Node reads --env-file itself, and would look for a file named "-".
  const files = [values["env-file"], values["env-stdin"] ? stdin : undefined].filter((path) => path !== undefined);
  const given = {
    files: Object.assign({}, ...files.map(readEnvFile)),
    allowed: (values.env ?? []).flatMap((names) => names.split(",")),
    ...(process.stdin.isTTY && !values.json ? { ask } : {}),
  };
  const request = { ...values, folder: "." };
  if (!values.plan) return runAndReport(values.json, () => publishProject(request, given, createWatcher(values)));
  await planProject(request, given, createWatcher(values));
  return 0;
}

/** Makes an earlier release live again. */
export async function rollbackCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(rollbackUsage, args);
  const [release] = positionals;
  const request = { ...values, folder: ".", ...(release === undefined ? {} : { release }) };
  return runAndReport(values.json, () => rollBackProject(request, createWatcher(values)));
}

export async function releasesCommand(args: string[]): Promise<number> {
  const { values } = readFlags(releasesUsage, args);
  const { driver, application } = await openHere(values);
  const releases = await readHistory(driver, application);
  const live = findLive(releases);
  const url = live ? await driver.url(live) : null;
  if (values.json) printJson({ ok: true, url, releases: releases.map(withoutKey) });
  else print(releases.length > 0 ? printReleases(releases) : `${application.name} is not published here.`);
  return 0;
}

export async function statusCommand(args: string[]): Promise<number> {
  const { values } = readFlags(statusUsage, args);
  const work = await openHere(values);
  const { name } = work.application;
  const { live, pending } = await readStatus(work);
  if (values.json) {
    printJson({ ok: true, application: name, live: live ?? null, ...(pending ? { pending } : {}) });
    return 0;
  }
  print(live ? printStatus(name, live) : `${name} is not published here.`);
  if (pending) print(printPending(pending));
  return 0;
}

export async function logsCommand(args: string[]): Promise<number> {
  const { values } = readFlags(logsUsage, args);
  const lines = readNumber("lines", values.lines, 1, 1e6);
  const { driver, application } = await openHere(values);
  const live = findLive(await readHistory(driver, application));
  if (!live) throw new Fault("not_published", `${application.name} is not published here, so there are no logs.`);
  return driver.logs(live, { isFollowing: values.follow, lines });
}

/** Removes the application from where it is published. */
export async function unpublishCommand(args: string[]): Promise<number> {
  const { values } = readFlags(unpublishUsage, args);
  const work = await openHere(values);
  const { driver, application } = work;
  await readHistory(driver, application);
  const data = await driver.data();
  const isDeleted = values["delete-data"];
  if (isDeleted && data.length > 0 && !values.yes) await confirm(application.name, data);
  await unpublish(work, isDeleted);
  const kept = isDeleted ? [] : data;
  if (values.json) printJson({ ok: true, deleted: isDeleted ? data : [], kept });
  else print(`${application.name} is removed.${kept.length > 0 ? ` Its data stays: ${kept.join(", ")}.` : ""}`);
  return 0;
}

async function confirm(application: string, data: string[]): Promise<void> {
  const lost = `This deletes the data of ${application} permanently: ${data.join(", ")}.`;
  if (!process.stdin.isTTY) throw new Fault("data", `${lost} Confirm with --yes.`);
  if (!(await ask(`${lost} Delete it?`))) throw new Fault("interrupted", "Nothing was changed.");
}

async function ask(question: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: escapeControls(question), initialValue: false })) === true;
}

export async function secretsCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(secretsUsage, args);
  if (positionals[0] !== "prune")
    throw new Fault("usage", "The command is dory secrets prune. See dory secrets --help.");
  const work = await openHere(values);
  await pruneSecrets(work);
  if (values.json) printJson({ ok: true });
  return 0;
}

/** The flags that some of these commands have. */
interface Values extends OptionInput {
  to: string;
  json?: boolean;
}

const openHere = (values: Values): Promise<Work> => openWork({ ...values, folder: "." }, createWatcher(values));

const createWatcher = ({ json = false }: Pick<Values, "json">): Watcher => ({
  progress: createProgress({ isJson: json }),
  signal: onInterrupt(),
});

let interrupted: AbortSignal | undefined;

/** The first Ctrl-C reverts and ends. A second one ends at once, and the next publish reverts. */
function onInterrupt(): AbortSignal {
  if (interrupted) return interrupted;
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  interrupted = controller.signal;
  return interrupted;
}

/** Prints the result; as JSON it is among the events. */
async function runAndReport(isJson: boolean, work: () => Promise<Published>): Promise<number> {
  try {
    const published = await work();
    if (!isJson) print(printPublished(published));
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseFault)) throw error;
    const { code, message, outcome } = error;
    if (!isJson) printError(`${message}\n${outcomes[outcome]} (${code})`);
    return exitCodes[outcome];
  }
}

function printPublished({ release, url, isUnchanged = false }: Published): string {
  const restored = release.restores ? `, restored from ${release.restores}` : "";
  const live = isUnchanged
    ? `Nothing changed: ${release.id} is live already. --force releases it again.`
    : `${release.id} is live${restored}`;
  return `${live}\n${url}`;
}
