import type { ReleasedService } from "../release.ts";
import { hash, ownLabel, secretName, specificationLabel } from "./names.ts";

/** A service as `docker stack deploy` reads it; only fields that are read again have a type. */
export interface Specification {
  image: string;
  labels: Record<string, string>;
  secrets?: { source: string; target: string; uid?: string; mode: number }[];
  configs?: { source: string; target: string }[];
  environment?: Record<string, string>;
  healthcheck?: { start_interval?: string; interval?: string; disable?: boolean };
  volumes: { type: "tmpfs" | "volume"; target: string; source?: string; tmpfs?: { size: number } }[];
  deploy: { replicas?: number; placement?: { constraints: string[] }; [setting: string]: unknown };
  [setting: string]: unknown;
}

/** The input for a specification. */
export interface SpecificationInput {
  application: string;
  service: ReleasedService;
  /** Whether it is one of our backends, which can drain. */
  isOurs: boolean;
  user: string;
  replicas: number;
  /** The volumes that tasks keep, and their node. */
  data?: { volumes: { path: string; name: string }[]; node: string };
  healthMs: number;
  watchMs: number;
  /** See the manager's. */
  hasStartInterval?: boolean;
}

/**
 * A task that ends still answers during this time. The proxy refreshes addresses every second, but it takes seconds until
 * all nodes know that the task is gone.
 */
const drainMs = 5000;
const megabyte = 2 ** 20;

/** A service in the swarm: no privileges that it does not need, and replaced only by a healthy task. */
export function specifyService(terms: SpecificationInput): Specification {
  const { application, service, user, replicas, data } = terms;
  const env = listVariables(terms);
  const task = {
    image: service.image,
    user,
    init: true,
    read_only: true,
    cap_drop: ["ALL"],
    environment: env,
    ...(service.secretsVersion === null ? {} : { secrets: listSecrets(application, service, user) }),
    volumes: [scratchMount("/tmp"), ...(data?.volumes ?? []).map(toMount)],
    healthcheck: chooseHealthPace(terms),
    stop_grace_period: `${graceSeconds(env)}s`,
    logging,
  };
  return addLabels(application, task, {
    replicas,
    endpoint_mode: "dnsrr",
    ...(data ? { placement: { constraints: [`node.id==${data.node}`] } } : {}),
    resources: { limits: { memory: "512M", pids: 256 } },
    restart_policy: { condition: "any", delay: "1s" },
    ...chooseUpdatePolicy(terms),
  });
}

/** A task of the same service that applies migrations and ends. It gets no requests, so nothing checks its health. */
export function specifyRun(application: string, service: Specification): Specification {
  const { labels: _, deploy, environment, ...task } = service;
  const { placement, resources } = deploy;
  const once = { ...task, environment: { ...environment, MIGRATE: "only" }, healthcheck: { disable: true } };
  return addLabels(application, once, {
    mode: "replicated-job",
    endpoint_mode: "dnsrr",
    ...(placement && { placement }),
    resources,
    restart_policy: { condition: "none" },
  });
}

export const logging = { driver: "json-file", options: { "max-size": "10m", "max-file": "3" } };

/** A place for temporary files. */
export const scratchMount = (target: string) => ({ type: "tmpfs" as const, target, tmpfs: { size: 64 * megabyte } });

/** Labels a specification with a hash of what its tasks run, to recognise its tasks. */
export function addLabels<T extends object>(
  application: string,
  task: T,
  deploy: Specification["deploy"],
): T & Pick<Specification, "labels" | "deploy"> {
  const { placement, resources } = deploy;
  const labels = { [specificationLabel]: hash(JSON.stringify({ ...task, placement, resources })) };
  return { ...task, labels, deploy: { ...deploy, labels: { [ownLabel]: application } } };
}

/** The document for `docker stack deploy`, with the objects that its services refer to. */
export function printStack(services: Record<string, Specification>): string {
  const all = Object.values(services);
  const external = (names: (string | undefined)[]) =>
    Object.fromEntries(names.filter((name) => name !== undefined).map((name) => [name, { name, external: true }]));
  const volumes = all.flatMap(({ volumes }) => volumes.flatMap(({ source }) => (source === undefined ? [] : [source])));
  const hasStartInterval = all.some(({ healthcheck }) => healthcheck?.start_interval !== undefined);
  const document = {
    version: hasStartInterval ? "3.12" : "3.9",
    services,
    secrets: external(all.flatMap(({ secrets = [] }) => secrets.map(({ source }) => source))),
    configs: external(all.flatMap(({ configs = [] }) => configs.map(({ source }) => source))),
    volumes: Object.fromEntries(volumes.map((name) => [name, { name }])),
  };
  // Docker would read a dollar sign as a variable of the publisher.
  return JSON.stringify(document, null, 2).replaceAll("$", "$$$$");
}

/**
 * The image has the command. It first runs after the watch time, and only then does the task replace another, so a task
 * that crashes earlier has answered no request. A task is not unhealthy before --health-seconds have passed.
 * Each run starts a process, which takes seconds on a busy node, so a task that has started is checked less often.
 */
function chooseHealthPace({ healthMs, watchMs, hasStartInterval = false }: SpecificationInput) {
  const first = `${Math.min(Math.max(watchMs, 2000), 10_000) / 1000}s`;
  return {
    ...(hasStartInterval ? { start_interval: first, interval: "10s" } : { interval: first }),
    timeout: "10s",
    retries: 3,
    start_period: `${healthMs / 1000}s`,
  };
}

function listVariables({
  service: { env, secrets, secretsVersion },
  isOurs,
}: SpecificationInput): Record<string, string> {
  const files = secretsVersion === null ? [] : secrets.map((name) => [`${name}_FILE`, `/run/secrets/${name}`]);
  return { ...(isOurs ? { DRAIN_DELAY_MS: String(drainMs) } : {}), ...env, ...Object.fromEntries(files) };
}

/** Longer than the drain and the shutdown of a task. */
function graceSeconds(env: Record<string, string>): number {
  const { DRAIN_DELAY_MS = "0", SHUTDOWN_TIMEOUT_MS = "10000" } = env;
  return Math.ceil((Number(DRAIN_DELAY_MS) + Number(SHUTDOWN_TIMEOUT_MS)) / 1000) + 5;
}

/** Only the container's user can read them, unless it is a name, whose number is not known here. */
function listSecrets(application: string, { name, secrets, secretsVersion }: ReleasedService, user: string) {
  const [uid = ""] = user.split(":");
  const reader = /^\d+$/.test(uid) ? { uid, mode: 0o400 } : { mode: 0o444 };
  return secrets.map((secret) => ({
    source: secretName(application, name, secret, secretsVersion ?? ""),
    target: secret,
    ...reader,
  }));
}

const toMount = ({ path, name }: { path: string; name: string }) => ({
  type: "volume" as const,
  source: name,
  target: path,
});

/** One task at a time, started before the old one stops; other images cannot share data, so they stop first. */
function chooseUpdatePolicy({ data, isOurs, watchMs }: SpecificationInput) {
  const order = data && !isOurs ? "stop-first" : "start-first";
  const config = {
    parallelism: 1,
    order,
    monitor: `${Math.min(Math.max(watchMs, 1000), 10_000) / 1000}s`,
    max_failure_ratio: 0,
  };
  return {
    update_config: { ...config, failure_action: "rollback" },
    rollback_config: { ...config, monitor: "1s", failure_action: "pause" },
  };
}
