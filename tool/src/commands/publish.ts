import { parseArgs } from "node:util";
import { Fault } from "../fault.ts";
import { readApplication } from "../publish/application.ts";
import { printReleases } from "../publish/plan.ts";
import { type Progress, progressFor } from "../publish/progress.ts";
import { publish } from "../publish/publish.ts";
import { readEnvFile, stdin } from "../publish/secrets.ts";
import { exitCodes, type Options, type Published, ReleaseFault, type Scale, type Target } from "../publish/target.ts";
import { targetNamed } from "../publish/targets.ts";

const flags = {
  to: { type: "string", default: "docker" },
  port: { type: "string" },
  domain: { type: "string" },
  replicas: { type: "string" },
  autoscale: { type: "string" },
  registry: { type: "string" },
  "env-file": { type: "string" },
  "env-stdin": { type: "boolean", default: false },
  "health-seconds": { type: "string", default: "60" },
  "watch-seconds": { type: "string", default: "10" },
  lines: { type: "string", default: "100" },
  follow: { type: "boolean", default: false },
  smoke: { type: "boolean", default: true },
  plan: { type: "boolean", default: false },
  wait: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/** The flags that each command takes: one that it would ignore is a mistake. */
const flagsOf = {
  publish: [
    "to",
    "port",
    "domain",
    "replicas",
    "autoscale",
    "registry",
    "env-file",
    "env-stdin",
    "health-seconds",
    "watch-seconds",
    "smoke",
    "plan",
    "wait",
    "json",
  ],
  rollback: ["to", "health-seconds", "watch-seconds", "wait", "json"],
  releases: ["to", "json"],
  status: ["to", "json"],
  logs: ["to", "lines", "follow"],
};

type Command = keyof typeof flagsOf;
type Flags = ReturnType<typeof readFlags>["values"];

/** Publishes the project in this folder. */
export async function publishCommand(args: string[]): Promise<number> {
  const { values, target, application, options, progress } = await readCommand("publish", args);
  // Node itself reads --env-file wherever it stands, and would look for a file named "-"; hence a flag of its own.
  const files = [values["env-file"], values["env-stdin"] ? stdin : undefined].filter((path) => path !== undefined);
  const given = Object.assign({}, process.env, ...files.map(readEnvFile));
  const registry = values.registry ?? application.registry;
  return reported(values, progress, () =>
    publish({
      application,
      target,
      targetName: values.to,
      given,
      ...(registry === undefined ? {} : { registry }),
      isPlanOnly: values.plan,
      isSmoked: values.smoke,
      options,
      progress,
    }),
  );
}

/** Brings back an earlier release. */
export async function rollbackCommand(args: string[]): Promise<number> {
  const { values, target, application, options, progress, positionals } = await readCommand("rollback", args, 1);
  return reported(values, progress, () => target.rollback(application, positionals[0], options, progress));
}

export async function releasesCommand(args: string[]): Promise<number> {
  const { values, target, application } = await readCommand("releases", args);
  const { releases, url } = await target.look(application);
  if (values.json) console.log(JSON.stringify({ ok: true, url: url ?? null, releases }));
  else console.log(releases.length > 0 ? printReleases(releases) : `${application.name} is not published here.`);
  return 0;
}

export async function statusCommand(args: string[]): Promise<number> {
  const { values, target, application } = await readCommand("status", args);
  const lines = await target.status(application);
  if (values.json) console.log(JSON.stringify({ ok: true, lines }));
  else console.log(lines.join("\n"));
  return 0;
}

export async function logsCommand(args: string[]): Promise<number> {
  const { values, target, application } = await readCommand("logs", args);
  return target.logs(application, { isFollowing: values.follow, lines: wholeNumber("lines", values.lines, 1, 1e6) });
}

async function readCommand(command: Command, args: string[], atMost = 0) {
  const { values, positionals } = readFlags(args);
  const foreign = args.find((arg) => isForeign(command, arg));
  if (foreign) throw new Fault("usage", `dory ${command} has no flag ${foreign}. See dory ${command} --help.`);
  const [extra] = positionals.slice(atMost);
  if (extra !== undefined) throw new Fault("usage", `What is "${extra}"? See dory --help.`);
  const target: Target = await targetNamed(values.to);
  const progress = progressFor({ isJson: values.json });
  return { values, positionals, target, application: readApplication("."), options: optionsOf(values), progress };
}

/** Whether an argument is a flag of another command. */
function isForeign(command: Command, arg: string): boolean {
  const [, name] = /^--(?:no-)?([a-z-]+)/.exec(arg) ?? [];
  return name !== undefined && Object.hasOwn(flags, name) && !flagsOf[command].includes(name);
}

function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flags, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw new Fault("usage", `${(error as Error).message.split(". ")[0]}. See dory --help.`);
  }
}

function optionsOf(values: Flags): Options {
  const { port, domain, replicas, autoscale } = values;
  if (port !== undefined && domain !== undefined)
    throw new Fault("usage", "With --domain the ports are 80 and 443. Leave --port out.");
  if (domain !== undefined && !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(domain))
    throw new Fault("usage", `"${domain}" is no domain name. Give one like api.example.com.`);
  return {
    ...(port === undefined ? {} : { port: wholeNumber("port", port, 1, 65_535) }),
    ...(domain === undefined ? {} : { domain }),
    ...(replicas === undefined ? {} : { replicas: wholeNumber("replicas", replicas, 1, 1000) }),
    ...(autoscale === undefined ? {} : { autoscale: readScale(autoscale, values) }),
    isWaiting: values.wait,
    healthMs: wholeNumber("health-seconds", values["health-seconds"], 1, 3600) * 1000,
    watchMs: wholeNumber("watch-seconds", values["watch-seconds"], 0, 3600) * 1000,
    interrupted: interruption(),
  };
}

function readScale(text: string, { replicas, to }: Flags): Scale {
  if (to !== "kubernetes" && to !== "cloud-run")
    throw new Fault("usage", "Only Kubernetes and Cloud Run choose a number by themselves. Leave --autoscale out.");
  if (replicas !== undefined) throw new Fault("usage", "Give either --replicas or --autoscale.");
  const [, min = "", max = ""] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  const scale = { min: wholeNumber("autoscale", min, 1, 1000), max: wholeNumber("autoscale", max, 1, 1000) };
  if (scale.min < scale.max) return scale;
  throw new Fault("usage", "--autoscale is a smaller and a larger number, like 2..10.");
}

function wholeNumber(flag: string, text: string, min: number, max: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Fault("usage", `--${flag} must be a whole number from ${min} to ${max}.`);
}

/** Ctrl-C is an order to tidy up, not to drop everything. A second one would leave that to the next publish. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return controller.signal;
}

async function reported(
  { json }: Flags,
  progress: Progress,
  work: () => Promise<Published | undefined>,
): Promise<number> {
  try {
    const published = await work();
    if (!published) return 0;
    const { release, url } = published;
    progress.event("result", { ok: true, release: release.id, url });
    if (!json) console.log(`${release.id} is live${release.restores ? `, as ${release.restores} was` : ""}\n${url}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseFault)) throw error;
    const { code, message, outcome } = error;
    progress.event("result", { ok: false, code, message, outcome });
    if (!json) console.error(`${message}\n${endings[outcome]} (${code})`);
    return exitCodes[outcome];
  }
}

const endings = {
  unchanged: "Nothing was changed.",
  rolled_back: "The release before serves again.",
  rollback_failed: "The release before does not serve.",
};
