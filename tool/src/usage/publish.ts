import type { Usage } from "../flags.ts";
import { previews, targetNames } from "../publish/targets.ts";

const to = {
  type: "string",
  value: "TARGET",
  default: "docker",
  help: `${targetNames.map((name) => (previews.includes(name) ? `${name} (preview)` : name)).join(", ")};\ndocker is the local engine, or the one at DOCKER_HOST`,
} as const;
const json = { type: "boolean", default: false, help: "print JSON, for programs" } as const;
const wait = { type: "boolean", default: false, help: "wait while someone else publishes" } as const;
const pace = {
  "health-seconds": {
    type: "string",
    value: "N",
    default: "60",
    help: "how long each new container may take to become healthy",
  },
  "watch-seconds": {
    type: "string",
    value: "N",
    default: "10",
    help: "how long a release is watched before the old one is removed",
  },
} as const;

const exits =
  "  Exit codes: 0 published, 1 failed and nothing changed, 2 rolled back to the previous release, 3 could not roll back.";

/** How `dory publish` is called. */
export const publishUsage = {
  command: "publish",
  summary: "build it, test it, and make it live",
  call: "",
  atMost: 0,
  flags: {
    to,
    port: {
      type: "string",
      value: "N",
      help: "the port that it serves on (default: unchanged, or 8080 the first time)",
    },
    domain: { type: "string", value: "NAME", help: "serve NAME; on an engine over HTTPS, on ports 80 and 443" },
    replicas: { type: "string", value: "N", help: "instances of each service (swarm, kubernetes, cloud-run)" },
    autoscale: {
      type: "string",
      value: "A..B",
      help: "as many instances as needed, from A to B (kubernetes, cloud-run)",
    },
    registry: { type: "string", value: "R", help: "where images are pushed to, like registry.example.com/team" },
    "env-file": { type: "string", value: "FILE", help: "read the values of secrets from FILE" },
    "env-stdin": { type: "boolean", default: false, help: "read the values of secrets from stdin" },
    env: {
      type: "string",
      value: "NAME",
      multiple: true,
      help: "take this secret from the environment; without it, dory asks once for each\nproject and variable",
    },
    plan: { type: "boolean", default: false, help: "print what would be done, and do nothing" },
    force: { type: "boolean", default: false, help: "release again even if nothing changed" },
    "take-over": {
      type: "boolean",
      default: false,
      help: "replace another project of this name, and get its data",
    },
    wait,
    smoke: { type: "boolean", default: true, help: "do not test the image before it is released" },
    ...pace,
    json,
  },
  notes: [exits],
} as const satisfies Usage;

/** How `dory rollback` is called. */
export const rollbackUsage = {
  command: "rollback",
  summary: "roll back to the previous release, or to a named one",
  call: "[RELEASE]",
  atMost: 1,
  flags: {
    to,
    "keep-secrets": {
      type: "boolean",
      default: false,
      help: "keep the current secrets instead of those of that release",
    },
    wait,
    ...pace,
    json,
  },
  notes: [exits],
} as const satisfies Usage;

/** How `dory releases` is called. */
export const releasesUsage = {
  command: "releases",
  summary: "list what was published, and what is live",
  call: "",
  atMost: 0,
  flags: { to, json },
} as const satisfies Usage;

/** How `dory status` is called. */
export const statusUsage = {
  command: "status",
  summary: "show what runs",
  call: "",
  atMost: 0,
  flags: { to, json },
} as const satisfies Usage;

/** How `dory logs` is called. */
export const logsUsage = {
  command: "logs",
  summary: "show its logs",
  call: "",
  atMost: 0,
  flags: {
    to,
    lines: { type: "string", value: "N", default: "100", help: "how many lines of each container" },
    follow: { type: "boolean", default: false, help: "keep printing new lines" },
  },
} as const satisfies Usage;

/** How `dory unpublish` is called. */
export const unpublishUsage = {
  command: "unpublish",
  summary: "remove it from where it is published",
  call: "",
  atMost: 0,
  flags: {
    to,
    "delete-data": { type: "boolean", default: false, help: "delete its data too (default: data is kept)" },
    yes: { type: "boolean", default: false, help: "do not ask before data is deleted" },
    wait,
    json,
  },
  notes: ["  It removes containers, networks, images, secrets and history. It can be run again after a failure."],
} as const satisfies Usage;

/** How `dory secrets` is called. */
export const secretsUsage = {
  command: "secrets",
  summary: "delete the secrets of earlier releases",
  call: "prune",
  atMost: 1,
  flags: { to, wait, json },
  notes: ["  A rollback then needs --keep-secrets, because only the secrets of the live release are kept."],
} as const satisfies Usage;

/** The commands of publishing, in the order of the overview. */
export const publishing: Usage[] = [
  publishUsage,
  rollbackUsage,
  releasesUsage,
  statusUsage,
  logsUsage,
  unpublishUsage,
  secretsUsage,
];
