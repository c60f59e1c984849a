import type { Answer, Scripted } from "./stand-in.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
type Stored = any;

/** A cluster that keeps what it is given. Pods whose image is in `broken` never serve. */
export interface FakeCluster extends Scripted {
  objects: Record<string, Stored>;
  broken: string[];
}

export const emptyCluster = (rest: Partial<FakeCluster> = {}): FakeCluster => ({ objects: {}, broken: [], ...rest });

export function answer(args: string[], stdin: string, cluster: FakeCluster): Answer {
  const [verb = "", ...rest] = args;
  return verbs[verb]?.(rest, stdin, cluster) ?? { code: 1, stderr: `unknown command "${verb}"` };
}

const verbs: Record<string, (args: string[], stdin: string, cluster: FakeCluster) => Answer | undefined> = {
  version: () => json({ serverVersion: { major: "1", minor: "33" } }),
  config: () => json({ "current-context": "kind", contexts: [{ context: { namespace: "shops" } }] }),
  logs: () => ({ stdout: "DATABASE_URL cannot be reached" }),

  create(_, stdin, { objects }) {
    const made = JSON.parse(stdin);
    if (objects[key(made)])
      return { code: 1, stderr: `Error from server (AlreadyExists): ${key(made)} already exists` };
    objects[key(made)] = made;
    return {};
  },

  replace(_, stdin, { objects }) {
    const made = JSON.parse(stdin);
    objects[key(made)] = made;
    return {};
  },

  patch([kind, name, , , text = "[]"], _, { objects }) {
    const found = objects[`${kindOf(kind ?? "")}/${name}`];
    for (const { op, path, value } of JSON.parse(text)) {
      const field = path.split("/").at(-1);
      if (op === "test" && found.spec[field] !== value)
        return { code: 1, stderr: "the server rejected: testing value failed" };
      found.spec[field] = value;
    }
    return {};
  },

  apply(_, stdin, cluster) {
    for (const item of JSON.parse(stdin).items) keep(cluster, item);
    return {};
  },

  delete([kinds = "", ...rest], _, { objects }) {
    const names = rest.filter((name) => !name.startsWith("-"));
    for (const kind of kinds.split(",")) for (const name of names) delete objects[`${kindOf(kind)}/${name}`];
    return {};
  },

  scale([deployment = "", flag = ""], _, { objects }) {
    objects[`Deployment/${deployment.split("/")[1]}`].spec.replicas = Number(flag.split("=")[1]);
    return {};
  },

  rollout([what, deployment = "", flag = ""], _, { objects, broken }) {
    const found = objects[`Deployment/${deployment.split("/")[1]}`];
    if (what === "undo") {
      const template = found.revisions[Number(flag.split("=")[1]) - 1];
      if (!template) return { code: 1, stderr: "error: unable to find specified revision" };
      change(found, template);
      return { stdout: `${deployment} rolled back` };
    }
    if (!found) return { code: 1, stderr: `Error from server (NotFound): ${deployment} not found` };
    if (broken.includes(imageOf(found))) return { code: 1, stderr: "error: timed out waiting for the condition" };
    return { stdout: `deployment "${deployment}" successfully rolled out` };
  },

  get([kinds = "", ...rest], _, cluster) {
    if (kinds === "events") return { stdout: "Readiness probe failed: HTTP probe failed with statuscode: 503" };
    const names = rest.filter((word, index) => !word.startsWith("-") && !rest[index - 1]?.startsWith("-"));
    const wanted = kinds.split(",").map(kindOf);
    const all = [...Object.values(cluster.objects), ...podsIn(cluster)].filter(({ kind }) => wanted.includes(kind));
    const found = all.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name));
    if (rest.includes("name"))
      return { stdout: found.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`).join("\n") };
    const items = found.map((object) => (object.kind === "Deployment" ? withStatus(object, cluster) : object));
    if (names.length === 1 && wanted.length === 1) return items[0] ? json(items[0]) : {};
    return json({ kind: "List", items });
  },
};

const json = (value: object) => ({ stdout: JSON.stringify(value) });
const key = ({ kind, metadata }: Stored) => `${kind}/${metadata.name}`;
const imageOf = ({ spec }: Stored) => spec.template.spec.containers[0].image;
const countOf = ({ spec }: Stored) => spec.replicas ?? 1;

function kindOf(word: string): string {
  const kinds = [
    "Deployment",
    "Pod",
    "Service",
    "Secret",
    "ConfigMap",
    "Lease",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
  ];
  return kinds.find((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(word.toLowerCase())) ?? word;
}

function keep({ objects }: FakeCluster, item: Stored): void {
  const before = objects[key(item)];
  if (before?.immutable && JSON.stringify(before.data) !== JSON.stringify(item.data)) throw new Error("immutable");
  objects[key(item)] =
    item.kind === "Deployment"
      ? { ...item, revisions: before?.revisions ?? [], generation: before?.generation ?? 0 }
      : item;
  if (item.kind === "Deployment") change(objects[key(item)], item.spec.template);
}

/** Each template is a revision. */
function change(deployment: Stored, template: Stored): void {
  deployment.spec.template = template;
  deployment.generation += 1;
  if (JSON.stringify(deployment.revisions.at(-1)) !== JSON.stringify(template)) deployment.revisions.push(template);
}

function withStatus(deployment: Stored, { broken }: FakeCluster): Stored {
  const { revisions, generation, ...object } = deployment;
  const count = countOf(deployment);
  const isBroken = broken.includes(imageOf(deployment));
  const annotations = { ...object.metadata.annotations, "deployment.kubernetes.io/revision": String(revisions.length) };
  const counts = isBroken
    ? { replicas: count + 1, updatedReplicas: 1, availableReplicas: revisions.length > 1 ? count : 0 }
    : { replicas: count, updatedReplicas: count, availableReplicas: count };
  const status = { observedGeneration: generation, ...counts };
  return { ...object, metadata: { ...object.metadata, generation, annotations }, status };
}

function podsIn({ objects, broken }: FakeCluster): Stored[] {
  const deployments = Object.values(objects).filter(({ kind }) => kind === "Deployment");
  return deployments.flatMap((deployment) =>
    Array.from({ length: countOf(deployment) }, (_, index) => {
      const isBroken = broken.includes(imageOf(deployment));
      const state = isBroken ? { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } } : { running: {} };
      return {
        kind: "Pod",
        metadata: { name: `${deployment.metadata.name}-${index}`, labels: deployment.spec.template.metadata.labels },
        spec: deployment.spec.template.spec,
        status: {
          conditions: [{ type: "Ready", status: isBroken ? "False" : "True" }],
          containerStatuses: [{ restartCount: 0, state }],
        },
      };
    }),
  );
}
