import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { escapeControls, print, printError, printJson } from "../output.ts";
import { collectValues } from "../publish/allowed.ts";
import { type Application, readApplication } from "../publish/application.ts";
import { searchedLines } from "../publish/cause.ts";
import {
  explainInstance,
  type Pending,
  printPending,
  printReleases,
  printStatus,
  type Status,
  withoutKey,
} from "../publish/plan.ts";
import { createProgress, type Progress } from "../publish/progress.ts";
import { refuseOtherProject } from "../publish/project.ts";
import { publish } from "../publish/publish.ts";
import { checkRegistry } from "../publish/reference.ts";
import { findLive, type Release } from "../publish/release.ts";
import { pruneSecrets, rollback, unpublish, type Work } from "../publish/rollback.ts";
import { readEnvFile, stdin } from "../publish/secrets.ts";
import { type Driver, exitCodes, type Options, type Published, ReleaseFault, type Scale } from "../publish/target.ts";
import { loadTarget, previews } from "../publish/targets.ts";
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
  const progress = createProgress({ isJson: values.json });
  const application = readApplication(".");
  // A separate flag for stdin: Node reads --env-file itself, and would look for a file named "-".
  const files = [values["env-file"], values["env-stdin"] ? stdin : undefined].filter((path) => path !== undefined);
  const given = await collectValues(application, {
    files: Object.assign({}, ...files.map(readEnvFile)),
    allowed: (values.env ?? []).flatMap((names) => names.split(",")),
    ...(process.stdin.isTTY && !values.json ? { ask } : {}),
  });
  const registry = values.registry ?? application.registry;
  if (registry !== undefined) checkRegistry(registry);
  const target = await loadTarget(values.to);
  warnOfPreview(values.to, progress);
  return runAndReport(values, progress, () =>
    publish({
      application,
      target,
      targetName: values.to,
      given,
      progress,
      options: readOptions(values),
      ...(registry === undefined ? {} : { registry }),
      isPlanOnly: values.plan,
      isSmoked: values.smoke,
      isForced: values.force,
    }),
  );
}

/** Makes an earlier release live again. */
export async function rollbackCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(rollbackUsage, args);
  const work = await openWork(values);
  return runAndReport(values, work.progress, () => rollback(work, positionals[0], values["keep-secrets"]));
}

export async function releasesCommand(args: string[]): Promise<number> {
  const { values } = readFlags(releasesUsage, args);
  const { driver, application } = await openWork(values);
  const releases = await readHistory(driver, application);
  const live = findLive(releases);
  const url = live ? await driver.url(live) : null;
  if (values.json) printJson({ ok: true, url, releases: releases.map(withoutKey) });
  else print(releases.length > 0 ? printReleases(releases) : `${application.name} is not published here.`);
  return 0;
}

export async function statusCommand(args: string[]): Promise<number> {
  const { values } = readFlags(statusUsage, args);
  const { driver, application } = await openWork(values);
  const releases = await readHistory(driver, application);
  const status = await readStatus(driver, findLive(releases));
  const pending = await readPending(driver, releases);
  if (values.json) {
    printJson({ ok: true, application: application.name, live: status ?? null, ...(pending ? { pending } : {}) });
    return 0;
  }
  print(status ? printStatus(application.name, status) : `${application.name} is not published here.`);
  if (pending) print(printPending(pending));
  return 0;
}

async function readStatus(driver: Driver, live: Release | undefined): Promise<Status | undefined> {
  if (!live) return undefined;
  const { instances, ...snapshot } = await driver.observe(live, searchedLines);
  return {
    release: withoutKey(live),
    url: await driver.url(live),
    ...snapshot,
    instances: instances.map(explainInstance),
  };
}

async function readPending(driver: Driver, releases: Release[]): Promise<Pending | undefined> {
  const found = releases.find(({ status }) => status === "pending");
  return found && { release: withoutKey(found), holder: (await driver.findHolder?.()) ?? null };
}

export async function logsCommand(args: string[]): Promise<number> {
  const { values } = readFlags(logsUsage, args);
  const lines = readNumber("lines", values.lines, 1, 1e6);
  const { driver, application } = await openWork(values);
  const live = findLive(await readHistory(driver, application));
  if (!live) throw new Fault("not_published", `${application.name} is not published here, so there are no logs.`);
  return driver.logs(live, { isFollowing: values.follow, lines });
}

/** Removes the application from where it is published. */
export async function unpublishCommand(args: string[]): Promise<number> {
  const { values } = readFlags(unpublishUsage, args);
  const work = await openWork(values);
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
  const work = await openWork(values);
  await pruneSecrets(work);
  if (values.json) printJson({ ok: true });
  return 0;
}

/** The releases of this project. */
async function readHistory(driver: Driver, application: Application): Promise<Release[]> {
  const releases = await driver.history();
  refuseOtherProject(application, releases);
  return releases;
}

/** The flags that some of these commands have. */
interface Values {
  to: string;
  json?: boolean;
  wait?: boolean;
  "take-over"?: boolean;
  port?: string;
  domain?: string;
  replicas?: string;
  autoscale?: string;
  "health-seconds"?: string;
  "watch-seconds"?: string;
}

async function openWork(values: Values): Promise<Work> {
  const target = await loadTarget(values.to);
  const application = readApplication(".");
  const options = readOptions(values);
  const progress = createProgress({ isJson: values.json ?? false });
  return { driver: await target.open(application), application, options, progress };
}

function warnOfPreview(target: string, { note }: Progress): void {
  if (previews.includes(target))
    note(`${target} is a preview: it has not been run on the real platform yet. Try --plan first.`);
}

function readOptions(values: Values): Options {
  const { port, domain, replicas, autoscale } = values;
  if (port !== undefined && domain !== undefined)
    throw new Fault("usage", "With --domain the ports are 80 and 443. Leave --port out.");
  if (domain !== undefined && !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(domain))
    throw new Fault("usage", `"${domain}" is not a domain name. Use one like api.example.com.`);
  return {
    ...(port === undefined ? {} : { port: readNumber("port", port, 1, 65_535) }),
    ...(domain === undefined ? {} : { domain }),
    ...(replicas === undefined ? {} : { replicas: readNumber("replicas", replicas, 1, 1000) }),
    ...(autoscale === undefined ? {} : { autoscale: readScale(autoscale, values) }),
    isWaiting: values.wait ?? false,
    isTakingOver: values["take-over"] ?? false,
    healthMs: readNumber("health-seconds", values["health-seconds"] ?? "60", 1, 3600) * 1000,
    watchMs: readNumber("watch-seconds", values["watch-seconds"] ?? "10", 0, 3600) * 1000,
    interrupted: onInterrupt(),
  };
}

function readScale(text: string, { replicas }: Values): Scale {
  if (replicas !== undefined) throw new Fault("usage", "Use either --replicas or --autoscale.");
  const [, min = "", max = ""] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  const scale = { min: readNumber("autoscale", min, 1, 1000), max: readNumber("autoscale", max, 1, 1000) };
  if (scale.min < scale.max) return scale;
  throw new Fault("usage", "--autoscale is a smaller and a larger number, like 2..10.");
}

function readNumber(flag: string, text: string, min: number, max: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Fault("usage", `--${flag} must be a whole number from ${min} to ${max}.`);
}

/** The first Ctrl-C reverts and ends. A second one ends at once, and the next publish reverts. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return controller.signal;
}

async function runAndReport(
  { json }: Values,
  progress: Progress,
  work: () => Promise<Published | undefined>,
): Promise<number> {
  try {
    const published = await work();
    if (published) report(published, json ?? false, progress);
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseFault)) throw error;
    const { code, message, outcome } = error;
    progress.event("result", { ok: false, code, message, outcome });
    if (!json) printError(`${message}\n${endings[outcome]} (${code})`);
    return exitCodes[outcome];
  }
}

function report({ release, url, isUnchanged = false }: Published, isJson: boolean, progress: Progress): void {
  progress.event("result", { ok: true, release: release.id, url, isUnchanged });
  if (isJson) return;
  const restored = release.restores ? `, restored from ${release.restores}` : "";
  const live = isUnchanged
    ? `Nothing changed: ${release.id} is live already. --force releases it again.`
    : `${release.id} is live${restored}`;
  print(`${live}\n${url}`);
}

const endings = {
  unchanged: "Nothing was changed.",
  rolled_back: "The previous release is live again.",
  rollback_failed: "The previous release may not be serving: see dory status.",
};
