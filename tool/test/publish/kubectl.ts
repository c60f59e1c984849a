import type { Answer, Scripted } from "./stand-in.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
type Stored = any;

interface FakePod {
  name: string;
  deployment: string;
  template: Stored;
  /** How often it was read: the cluster works between two reads. */
  age: number;
  /** That of the cluster when it was made. */
  patience: number;
  crashes: number;
  isLeaving?: boolean;
}

/** A cluster that stores objects and replaces pods, a step at each read. */
export interface FakeCluster extends Scripted {
  objects: Record<string, Stored>;
  pods: FakePod[];
  /** Images that the registry does not have. */
  unpullable: string[];
  /** Kinds of objects that it does not know. */
  unknown: string[];
  /** How many reads a pod must be ready before it replaces another, in place of `minReadySeconds`. */
  patience: number;
  /** How many objects were written: versions and names come from it. */
  writes: number;
}

export const emptyCluster = (rest: Partial<FakeCluster> = {}): FakeCluster => ({
  objects: {},
  pods: [],
  unpullable: [],
  unknown: [],
  patience: 2,
  writes: 0,
  ...rest,
});

export function answer(args: string[], stdin: string, cluster: FakeCluster): Answer {
  const [verb = "", ...rest] = args;
  return verbs[verb]?.(rest, stdin, cluster) ?? { code: 1, stderr: `error: unknown command "${verb}" for "kubectl"` };
}

const verbs: Record<string, (args: string[], stdin: string, cluster: FakeCluster) => Answer> = {
  version: () => json({ serverVersion: { major: "1", minor: "36" } }),
  config: () => json({ "current-context": "kind", contexts: [{ context: { namespace: "shops" } }] }),

  create(_, stdin, cluster) {
    const made = JSON.parse(stdin);
    if (cluster.objects[key(made)])
      return { code: 1, stderr: `Error from server (AlreadyExists): ${key(made)} already exists` };
    return write(cluster, made);
  },

  replace(_, stdin, cluster) {
    const made = JSON.parse(stdin);
    if (cluster.objects[key(made)]?.metadata.resourceVersion === made.metadata.resourceVersion)
      return write(cluster, made);
    return { code: 1, stderr: "Error from server (Conflict): the object has been modified; please apply your changes" };
  },

  patch([kind = "", name, , , text = "[]"], _, cluster) {
    const found = cluster.objects[`${toKind(kind)}/${name}`];
    if (!found) return { code: 1, stderr: `Error from server (NotFound): ${kind} "${name}" not found` };
    for (const { op, path, value } of JSON.parse(text)) {
      const field = path.split("/").at(-1);
      if (op === "test" && found.spec[field] !== value)
        return {
          code: 1,
          stderr: "The request is invalid: the server rejected our request due to an error in our request",
        };
      found.spec[field] = value;
    }
    return write(cluster, found);
  },

  /** Objects of known kinds are applied even if another kind is unknown. */
  apply(_, stdin, cluster) {
    const items: Stored[] = JSON.parse(stdin).items;
    const isKnown = ({ kind }: Stored) => !cluster.unknown.includes(kind);
    for (const item of items.filter(isKnown)) {
      const { env = [] } = item.spec?.template?.spec.containers[0] ?? {};
      const twice = env.find(({ name }: Stored, at: number) =>
        env.slice(0, at).some((one: Stored) => one.name === name),
      );
      if (twice) return { code: 1, stderr: `env: duplicate entries for key [name="${twice.name}"]` };
      const refused = write(cluster, item);
      if (refused.code) return refused;
    }
    const other = items.find((item) => !isKnown(item));
    if (!other) return {};
    const stderr = `unable to recognize no matches for kind "${other.kind}" in version "${other.apiVersion}"`;
    return { code: 1, stderr };
  },

  delete(objects, _, cluster) {
    for (const [kind = "", name] of objects.filter((word) => !word.startsWith("-")).map((word) => word.split("/")))
      delete cluster.objects[`${toKind(kind)}/${name}`];
    return {};
  },

  logs([name = "", ...flags], _, cluster) {
    const job = cluster.objects[name.replace("job/", "Job/")];
    if (job) return { stdout: `{"level":"info"}\n${runJob(job).log}` };
    const pod = cluster.pods.find((pod) => pod.name === name);
    if (!pod) return { code: 1, stderr: `Error from server (NotFound): pods "${name}" not found` };
    if (flags.includes("--previous") && pod.crashes === 0)
      return { code: 1, stderr: `Error from server (BadRequest): previous terminated container not found` };
    const line = flags.includes("--previous")
      ? `Error: it was crashed\n${"    at crash (/app/main.cjs:1:1)\n".repeat(9)}`
      : (sickness(cluster, pod)?.log ?? '{"level":"info","message":"listening"}');
    return { stdout: flags.includes("--prefix") ? `[pod/${name}/${pod.deployment}] ${line}` : line };
  },

  get([words = "", ...rest], _, cluster) {
    if (words === "events") return listEvents(cluster, /involvedObject\.name=([\w-]+)/.exec(rest.join(" "))?.[1] ?? "");
    const wanted = words.split(",").map(toKind);
    const unknown = words.split(",").find((_, index) => !wanted[index] || cluster.unknown.includes(wanted[index]));
    if (unknown) return { code: 1, stderr: `error: the server doesn't have a resource type "${unknown}"` };
    if (wanted.includes("Pod")) advance(cluster);
    const names = rest.filter((word, index) => !word.startsWith("-") && !/^-[lo]$/.test(rest[index - 1] ?? ""));
    const labels = (rest[rest.indexOf("-l") + 1] ?? "").split(",").map((pair) => pair.split("="));
    const found = [...Object.values(cluster.objects), ...cluster.pods.map((pod) => shownPod(cluster, pod))]
      .filter(({ kind }) => wanted.includes(kind))
      .filter(({ metadata }) => names.length === 0 || names.includes(metadata.name))
      .filter(
        ({ metadata }) => !rest.includes("-l") || labels.every(([key = "", is]) => metadata.labels?.[key] === is),
      );
    if (rest.includes("name"))
      return {
        stdout: found
          .map(({ kind, metadata }) => `${kind.toLowerCase()}${group[kind] ?? ""}/${metadata.name}`)
          .join("\n"),
      };
    const items = found.map((object) =>
      object.kind === "Deployment" ? withStatus(object, cluster) : withJobStatus(object),
    );
    if (names.length === 1 && wanted.length === 1) return items[0] ? json(items[0]) : {};
    return names.length > 0 && items.length === 0 ? {} : json({ kind: "List", items });
  },
};

const json = (value: object) => ({ stdout: JSON.stringify(value) });
const key = ({ kind, metadata }: Stored) => `${kind}/${metadata.name}`;
const group: Record<string, string> = {
  Deployment: ".apps",
  NetworkPolicy: ".networking.k8s.io",
  Ingress: ".networking.k8s.io",
  PodDisruptionBudget: ".policy",
  HorizontalPodAutoscaler: ".autoscaling",
  HTTPRoute: ".gateway.networking.k8s.io",
  Job: ".batch",
};

const kinds = ["Pod", "Service", "Secret", "ConfigMap", "Lease", ...Object.keys(group)];

export function toKind(word: string): string {
  const singular = word
    .toLowerCase()
    .replace(/(?<=ss)es$|(?<=[^s])s$/, "")
    .replace(/ie$/, "y");
  return kinds.find((kind) => kind.toLowerCase() === singular) ?? "";
}

function write(cluster: FakeCluster, item: Stored): Answer {
  const before = cluster.objects[key(item)];
  if (before?.immutable && JSON.stringify(before.data) !== JSON.stringify(item.data))
    return { code: 1, stderr: `The Secret "${item.metadata.name}" is invalid: data: Forbidden: field is immutable` };
  const isNew = JSON.stringify(before?.spec) !== JSON.stringify(item.spec);
  const generation = (before?.metadata.generation ?? 0) + Number(isNew);
  const metadata = { ...item.metadata, generation, resourceVersion: String(++cluster.writes) };
  cluster.objects[key(item)] = { ...item, metadata };
  return {};
}

/** A step of a rolling update: new pods start next to all old ones, which end when as many new ones are available. */
function advance(cluster: FakeCluster): void {
  cluster.pods = cluster.pods.filter(
    ({ deployment, isLeaving }) => !isLeaving && cluster.objects[`Deployment/${deployment}`],
  );
  for (const pod of cluster.pods) pod.age++;
  for (const { kind, metadata, spec } of Object.values(cluster.objects)) {
    if (kind !== "Deployment") continue;
    const own = cluster.pods.filter(({ deployment }) => deployment === metadata.name);
    const isNew = ({ template }: FakePod) => JSON.stringify(template) === JSON.stringify(spec.template);
    const old = own.filter((pod) => !isNew(pod));
    const fresh = own.filter(isNew);
    const isAvailable = (pod: FakePod) => isReady(cluster, pod) && pod.age > pod.patience;
    const spare = Math.max(0, own.filter(isAvailable).length - spec.replicas);
    const surplus = [...old.filter((pod) => !isAvailable(pod)), ...old.filter(isAvailable).slice(0, spare)];
    for (const pod of [...surplus, ...fresh.slice(spec.replicas)]) pod.isLeaving = true;
    const room = 2 * spec.replicas - old.length;
    for (let count = fresh.length; count < Math.min(spec.replicas, room); count++)
      cluster.pods.push({
        name: `${metadata.name}-${++cluster.writes}`,
        deployment: metadata.name,
        template: spec.template,
        age: 0,
        patience: cluster.patience,
        crashes: 0,
      });
  }
}

interface Sickness {
  log: string;
  state: object;
  restarts?: number;
  warnings: string[];
}

/** Why a pod fails, which depends on its variables and its secret. */
function sickness(cluster: FakeCluster, { age, template, name }: FakePod): Sickness | undefined {
  const { containers: [container] = [{}], volumes = [] } = template.spec;
  const { secretName } = volumes.find(({ name }: Stored) => name === "secrets")?.secret ?? {};
  const encoded = cluster.objects[`Secret/${secretName}`]?.data?.DATABASE_URL ?? "";
  if (cluster.unpullable.includes(container.image)) {
    const message = `Back-off pulling image "${container.image}": ErrImagePull: not found`;
    return { log: "", state: { waiting: { reason: "ImagePullBackOff", message } }, warnings: [`Failed: ${message}`] };
  }
  if (container.env.some(({ name, value }: Stored) => name === "LOG_LEVEL" && value === "loud")) {
    const back = `Back-off restarting failed container ${container.name} in pod ${name}`;
    const state = { waiting: { reason: "CrashLoopBackOff", message: `back-off 10s restarting ${"x".repeat(300)}` } };
    const log = `${"Driver { … } ".repeat(40)}\nLOG_LEVEL must be one of debug, info, warn, error`;
    return { log, state, restarts: age, warnings: [back] };
  }
  const after = container.env.find(({ name }: Stored) => name === "CRASH_AFTER")?.value;
  if (after !== undefined && age > Number(after))
    return {
      log: "out of memory",
      state: { terminated: { exitCode: 137, reason: "OOMKilled" } },
      restarts: 1,
      warnings: [],
    };
  if (Buffer.from(encoded, "base64").toString().includes("@unanswered/"))
    return {
      log: '{"level":"error","message":"the database does not answer"}',
      state: { running: {} },
      warnings: ["Readiness probe failed: HTTP probe failed with statuscode: 503", `Back-off ${name}`],
    };
  return undefined;
}

const isReady = (cluster: FakeCluster, pod: FakePod) => pod.age > 0 && !sickness(cluster, pod);

function shownPod(cluster: FakeCluster, pod: FakePod): Stored {
  const { name, template, age, crashes, isLeaving } = pod;
  const sick = age > 0 ? sickness(cluster, pod) : { state: { waiting: { reason: "ContainerCreating" } } };
  const { state, restarts = crashes } = { restarts: undefined, state: { running: {} }, ...sick };
  const creationTimestamp = new Date(Number(name.split("-").at(-1)) * 1000).toISOString();
  return {
    kind: "Pod",
    metadata: {
      name,
      creationTimestamp,
      ...template.metadata,
      ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: template.spec,
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: isReady(cluster, pod) ? "True" : "False" }],
      containerStatuses: [
        {
          restartCount: restarts,
          state,
          ...(restarts > 0 ? { lastState: { terminated: { exitCode: 1, reason: "Error" } } } : {}),
        },
      ],
    },
  };
}

function withStatus(deployment: Stored, cluster: FakeCluster): Stored {
  const own = cluster.pods.filter(({ deployment: of, isLeaving }) => of === deployment.metadata.name && !isLeaving);
  const template = JSON.stringify(deployment.spec.template);
  const status = {
    observedGeneration: deployment.metadata.generation,
    replicas: own.length,
    updatedReplicas: own.filter((pod) => JSON.stringify(pod.template) === template).length,
    availableReplicas: own.filter((pod) => isReady(cluster, pod)).length,
  };
  return { ...deployment, status };
}

/** What a Job does, which depends on its variables. */
function runJob({ spec }: Stored): { hasFailed: boolean; log: string } {
  const { env } = spec.template.spec.containers[0];
  const hasFailed = env.some(({ name, value }: Stored) => name === "LOG_LEVEL" && value === "loud");
  return { hasFailed, log: hasFailed ? "LOG_LEVEL must be one of debug, info, warn, error" : "0001-a  applied now" };
}

const withJobStatus = (object: Stored) =>
  object.kind === "Job" ? { ...object, status: runJob(object).hasFailed ? { failed: 1 } : { succeeded: 1 } } : object;

function listEvents(cluster: FakeCluster, name: string): Answer {
  const pod = cluster.pods.find((pod) => pod.name === name);
  const warnings = (pod && sickness(cluster, pod)?.warnings) ?? [];
  const items = [
    { type: "Normal", message: `Successfully assigned shops/${name} to node` },
    ...warnings.map((message) => ({ type: "Warning", message })),
    { type: "Normal", message: "Container image already present on machine" },
  ];
  return json({ items });
}
