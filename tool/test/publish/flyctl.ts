import { readFileSync } from "node:fs";
import type { FlyRelease } from "../../src/publish/fly/config.ts";
import { isRun, type Machine } from "../../src/publish/fly/machines.ts";
import type { Answer, Scripted } from "./stand-in.ts";

/** An app with its machines. Images in `stuck` never pass their checks, though flyctl reports success. */
export interface FakeApp extends Scripted {
  isThere: boolean;
  machines: Machine[];
  secrets: Record<string, string>;
  volumes: { id: string; name: string }[];
  stuck: string[];
  /** Whether the database that the secret names does not answer. */
  isUnanswered: boolean;
  log: string[];
  count: number;
  /** What machines that apply migrations do; they end when they are looked at for the second time. */
  migrating: { isHanging?: boolean; fails?: string };
  /** Their logs, by id. */
  logs: Record<string, string[]>;
}

export const emptyApp = (rest: Partial<FakeApp> = {}): FakeApp => ({
  isThere: true,
  machines: [],
  secrets: {},
  volumes: [],
  stuck: [],
  isUnanswered: false,
  log: [],
  count: 0,
  migrating: {},
  logs: {},
  ...rest,
});

export function answer(args: string[], stdin: string, app: FakeApp): Answer {
  const command = args.slice(0, 2).join(" ");
  if (!app.isThere) return { code: 1, stderr: 'Error: Could not find App "shop"' };
  if (args[0] === "deploy") return deployed(args, app);
  if (args[0] === "logs" && args.includes("--machine")) return readLog(after(args, "--machine"), app);
  if (args[0] === "logs") return { stdout: app.log.join("\n") };
  return commands[command]?.(args, stdin, app) ?? { code: 1, stderr: `Error: unknown command "${command}"` };
}

const commands: Record<string, (args: string[], stdin: string, app: FakeApp) => Answer> = {
  "machine list": (_, __, app) => {
    const answer = json(app.machines);
    endRuns(app);
    return answer;
  },
  "machine run": (args, _, app) => runMachine(args, app),
  "volumes list": (_, __, { volumes }) => json(volumes),
  "secrets list": (_, __, { secrets }) => json(Object.entries(secrets).map(([name, digest]) => ({ name, digest }))),
  "secrets import": (_, stdin, app) => {
    for (const [, name = "", value = ""] of stdin.matchAll(/^([A-Z_]+)=(.*)/gm)) app.secrets[name] = toDigest(value);
    app.isUnanswered = stdin.includes("@unanswered/");
    return { stdout: "Secrets have been staged, but not set on VMs. Deploy or update machines in this app." };
  },
  "secrets unset": (args, _, app) => {
    for (const name of args.slice(2)) delete app.secrets[name];
    return {};
  },
  "machine destroy": (args, _, app) => {
    if (!app.machines.some(({ id }) => id === args[2]))
      return { code: 1, stderr: `Error: could not get machine ${args[2]}: machine not found` };
    app.machines = app.machines.filter(({ id }) => id !== args[2]);
    return {};
  },
  "apps destroy": (_, __, app) => {
    Object.assign(app, emptyApp({ isThere: false }));
    return {};
  },
};

const after = (args: string[], flag: string) => args[args.indexOf(flag) + 1] ?? "";

/** Pairs after each of these flags. */
const readPairs = (args: string[], flag: string) =>
  Object.fromEntries(
    args.flatMap((arg, index) =>
      args[index - 1] === flag ? [arg.split(/=(.*)/s).slice(0, 2) as [string, string]] : [],
    ),
  );

/** Like flyctl, it returns when the machine has started. */
function runMachine(args: string[], app: FakeApp): Answer {
  const [, , image = ""] = args;
  const [env, metadata] = [readPairs(args, "--env"), readPairs(args, "--metadata")];
  const id = `m${++app.count}`;
  const region = args.includes("--region") ? after(args, "--region") : "ams";
  app.machines.push({
    id,
    name: after(args, "--name"),
    state: "started",
    region,
    created_at: new Date().toISOString(),
    config: { image, env, metadata },
    events: [{ type: "start" }],
  });
  return { stdout: `Success! A Machine has been successfully launched in app shop\n Machine ID: ${id}` };
}

/** A run ends with what its image would do with these variables and secrets. */
function endRuns(app: FakeApp): void {
  const { isHanging = false, fails } = app.migrating;
  for (const machine of app.machines) {
    if (!isRun(machine) || machine.state !== "started" || isHanging) continue;
    const isCrashing = machine.config?.env?.["LOG_LEVEL"] === "loud";
    const unanswered = "The database of DATABASE_URL cannot be used: getaddrinfo ENOTFOUND unanswered";
    const why = fails ?? (isCrashing ? crashLine : app.isUnanswered ? unanswered : undefined);
    machine.state = "stopped";
    const exit_event = { exit_code: why === undefined ? 0 : 1, requested_stop: false };
    machine.events = [{ type: "exit", timestamp: Date.now(), request: { exit_event } }, ...(machine.events ?? [])];
    app.logs[machine.id] = [" INFO Starting init", why ?? "0001-a  applied now", " INFO Main child exited normally"];
  }
}

const crashLine = "LOG_LEVEL must be one of debug, info, warn, error";

function readLog(id: string, { logs }: FakeApp): Answer {
  const runner = `2026-01-01T00:00:00Z runner[${id}] fra [info]Pulling container image`;
  const own = (logs[id] ?? []).map((line) => `2026-01-01T00:00:01Z app[${id}] fra [info]${line}`);
  return { stdout: [runner, ...own].join("\n") };
}

const json = (value: unknown) => ({ stdout: JSON.stringify(value) });
const toDigest = (value: string) =>
  [...value].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7).toString(16);
const readLast = ({ config }: Machine) =>
  (JSON.parse(config?.env?.["DORY_RELEASES"] ?? "[]") as FlyRelease[]).at(-1)?.id;

/** Starts new machines next to the old ones and checks them; then removes the old ones, or the new ones on failure. */
function deployed(args: string[], app: FakeApp): Answer {
  // It ignores machines that it did not make.
  const [runs, machines] = [app.machines.filter(isRun), app.machines.filter((machine) => !isRun(machine))];
  if (new Set(machines.map(readLast)).size > 1)
    return { code: 1, stderr: "Error: found multiple image versions in your app. Destroy the machines of one." };
  const image = after(args, "--image");
  const toml = readFileSync(after(args, "--config"), "utf8");
  const env = Object.fromEntries(
    [...toml.matchAll(/^([A-Z_]+) = (".*")$/gm)].map(([, name, value = '""']) => [name, JSON.parse(value)]),
  );
  const isCrashing = env["LOG_LEVEL"] === "loud";
  if (isCrashing) app.log.push(`shop[m${app.count}] fra [info] ${crashLine}`);
  if (isCrashing || app.isUnanswered)
    return { code: 1, stderr: "Error: wait timeout\ncould not get all green machines to be healthy" };
  const isStuck = app.stuck.includes(image);
  app.machines = [
    ...runs,
    {
      id: `m${++app.count}`,
      state: "started",
      region: "fra",
      config: { image, env },
      image_ref: { digest: image.split("@")[1] ?? "" },
      checks: [{ name: "http", status: isStuck ? "critical" : "passing", output: isStuck ? "503" : "200" }],
      events: [{ type: "start" }],
    },
  ];
  return { stdout: "deployed" };
}
