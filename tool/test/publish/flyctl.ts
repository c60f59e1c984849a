import { readFileSync } from "node:fs";
import type { FlyRelease } from "../../src/publish/fly/config.ts";
import type { Machine } from "../../src/publish/fly/machines.ts";
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
  ...rest,
});

export function answer(args: string[], stdin: string, app: FakeApp): Answer {
  const command = args.slice(0, 2).join(" ");
  if (!app.isThere) return { code: 1, stderr: 'Error: Could not find App "shop"' };
  if (args[0] === "deploy") return deployed(args, app);
  if (args[0] === "logs") return { stdout: app.log.join("\n") };
  return commands[command]?.(args, stdin, app) ?? { code: 1, stderr: `Error: unknown command "${command}"` };
}

const commands: Record<string, (args: string[], stdin: string, app: FakeApp) => Answer> = {
  "machine list": (_, __, { machines }) => json(machines),
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
    app.machines = app.machines.filter(({ id }) => id !== args[2]);
    return {};
  },
  "apps destroy": (_, __, app) => {
    Object.assign(app, emptyApp({ isThere: false }));
    return {};
  },
};

const json = (value: unknown) => ({ stdout: JSON.stringify(value) });
const toDigest = (value: string) =>
  [...value].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7).toString(16);
const readLast = ({ config }: Machine) =>
  (JSON.parse(config?.env?.["DORY_RELEASES"] ?? "[]") as FlyRelease[]).at(-1)?.id;

/** Starts new machines next to the old ones and checks them; then removes the old ones, or the new ones on failure. */
function deployed(args: string[], app: FakeApp): Answer {
  const after = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
  if (new Set(app.machines.map(readLast)).size > 1)
    return { code: 1, stderr: "Error: found multiple image versions in your app. Destroy the machines of one." };
  const image = after("--image");
  const toml = readFileSync(after("--config"), "utf8");
  const env = Object.fromEntries(
    [...toml.matchAll(/^([A-Z_]+) = (".*")$/gm)].map(([, name, value = '""']) => [name, JSON.parse(value)]),
  );
  const isCrashing = env["LOG_LEVEL"] === "loud";
  if (isCrashing) app.log.push(`shop[m${app.count}] fra [info] LOG_LEVEL must be one of debug, info, warn, error`);
  if (isCrashing || app.isUnanswered)
    return { code: 1, stderr: "Error: wait timeout\ncould not get all green machines to be healthy" };
  const isStuck = app.stuck.includes(image);
  app.machines = [
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
