import type { Usage } from "../flags.ts";
import { previews, targetNames } from "../publish/targets.ts";

const to = {
  type: "string",
  value: "TARGET",
  default: "docker",
  help: `${targetNames.map((name) => (previews.includes(name) ? `${name} (preview)` : name)).join(", ")};\ndocker is the engine at hand, or at DOCKER_HOST`,
} as const;
const json = { type: "boolean", default: false, help: "print JSON, for programs" } as const;
const wait = { type: "boolean", default: false, help: "wait while another publishes" } as const;
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
    help: "how long a release is watched before the old one goes",
  },
} as const;

const exits =
  "  Exit codes: 0 published, 1 failed and nothing changed, 2 went back to the release before, 3 could not go back.";

/** How `dory publish` is called. */
export const publishUsage = {
  command: "publish",
  summary: "build it, try it, and let it serve",
  call: "",
  atMost: 0,
  flags: {
    to,
    port: { type: "string", value: "N", help: "where it is reached (default: as before, else 8080)" },
    domain: { type: "string", value: "NAME", help: "serve NAME; on an engine over HTTPS, on ports 80 and 443" },
    replicas: { type: "string", value: "N", help: "how many run of each service (swarm, kubernetes, cloud-run)" },
    autoscale: { type: "string", value: "A..B", help: "as many as are needed, from A to B (kubernetes, cloud-run)" },
    registry: { type: "string", value: "R", help: "where images are pushed to, like registry.example.com/team" },
    "env-file": { type: "string", value: "FILE", help: "where the values of secrets are, beside the environment" },
    "env-stdin": { type: "boolean", default: false, help: "read the values of secrets from stdin" },
    plan: { type: "boolean", default: false, help: "print what would be done, and do nothing" },
    force: { type: "boolean", default: false, help: "release also what is live already, unchanged" },
    wait,
    smoke: { type: "boolean", default: true, help: "do not try the image before it is released" },
    ...pace,
    json,
  },
  notes: [exits],
} as const satisfies Usage;

/** How `dory rollback` is called. */
export const rollbackUsage = {
  command: "rollback",
  summary: "go back to the release before, or to a named one",
  call: "[RELEASE]",
  atMost: 1,
  flags: {
    to,
    "keep-secrets": { type: "boolean", default: false, help: "keep today's secrets, instead of those of that release" },
    wait,
    ...pace,
    json,
  },
  notes: [exits],
} as const satisfies Usage;

/** How `dory releases` is called. */
export const releasesUsage = {
  command: "releases",
  summary: "what was published, and what is live",
  call: "",
  atMost: 0,
  flags: { to, json },
} as const satisfies Usage;

/** How `dory status` is called. */
export const statusUsage = {
  command: "status",
  summary: "what runs",
  call: "",
  atMost: 0,
  flags: { to, json },
} as const satisfies Usage;

/** How `dory logs` is called. */
export const logsUsage = {
  command: "logs",
  summary: "what it logs",
  call: "",
  atMost: 0,
  flags: {
    to,
    lines: { type: "string", value: "N", default: "100", help: "how many lines of each container" },
    follow: { type: "boolean", default: false, help: "go on with what comes" },
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
    "delete-data": { type: "boolean", default: false, help: "delete its data too; without it, data stays" },
    yes: { type: "boolean", default: false, help: "do not ask before data is deleted" },
    wait,
    json,
  },
  notes: ["  It removes containers, networks, images, secrets and records. It can be run again after a failure."],
} as const satisfies Usage;

/** How `dory secrets` is called. */
export const secretsUsage = {
  command: "secrets",
  summary: "forget the secrets of earlier releases",
  call: "prune",
  atMost: 1,
  flags: { to, wait, json },
  notes: ["  A rollback then needs --keep-secrets, since only the secrets of the live release are left."],
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
