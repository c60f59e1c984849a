import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { refuseUnpinned } from "../pinned.ts";
import { liveOf, releaseBefore } from "../release.ts";
import type { Attempt, Published, Target } from "../target.ts";
import { type Cluster, deploymentOf, imageOf, lookAtCluster, podsOf, restartsOf } from "./cluster.ts";
import { kubectl, placeOf } from "./kubectl.ts";
import { takeLease } from "./lease.ts";
import { manifestsOf, secretManifest } from "./manifests.ts";
import { selectorOf } from "./names.ts";
import { plannedRelease, releaseUnder } from "./releasing.ts";
import { readReleases } from "./state.ts";

/** The cluster and the namespace that kubectl is set to. */
export const kubernetesTarget: Target = {
  needsRegistry: true,
  losesFiles: true,

  async check(application) {
    refuseUnpinned(application);
    for (const { name } of application.services) checkName(name);
    checkName(application.name);
    await checkVersion();
    await refuseTaken(application);
  },

  async look(application) {
    const releases = await readReleases(application.name);
    return { releases, ...(liveOf(releases) ? { url: urlOf(application, await placeOf()) } : {}) };
  },

  async render(attempt) {
    const { application, secrets = {} } = attempt;
    const { context, namespace } = await placeOf();
    const release = plannedRelease(attempt, await readReleases(application.name));
    const hidden = release.services.flatMap(({ name, secretsVersion }) => {
      if (secretsVersion === null) return [];
      const values = Object.keys(secrets[name] ?? {}).map((key) => [key, "not shown"]);
      return [secretManifest(application.name, name, secretsVersion, Object.fromEntries(values))];
    });
    const items = [...hidden, ...manifestsOf(application.name, release)];
    return `To context ${context}, namespace ${namespace}:\n${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}`;
  },

  release: (attempt) => holding(attempt),

  async rollback(application, wanted, options, progress) {
    const found = releaseBefore(await readReleases(application.name), wanted);
    const { id, status: _, reason: __, ...release } = found;
    return holding({ application, release: { ...release, restores: id }, options, progress });
  },

  async status(application) {
    const live = liveOf(await readReleases(application.name));
    if (!live) return [`${application.name} is not published here.`];
    const cluster = await lookAtCluster(application.name);
    const lines = live.services.map(({ name }) => statusLine(cluster, name));
    return [`${application.name} ${live.id} at ${urlOf(application, await placeOf())}, since ${live.at}`, ...lines];
  },

  async logs({ name }, { isFollowing, lines }) {
    if (!liveOf(await readReleases(name)))
      throw new Fault("not_published", `${name} is not published here, so there are no logs.`);
    const how = ["--prefix", `--tail=${lines}`, "--max-log-requests=50", ...(isFollowing ? ["--follow"] : [])];
    return kubectl.show(["logs", "-l", selectorOf(name), ...how]);
  },
};

async function holding(attempt: Attempt): Promise<Published> {
  const { application, options, progress } = attempt;
  const place = await placeOf();
  progress.note(`To context ${place.context}, namespace ${place.namespace}`);
  const lease = await progress.step("lease", "Take the lease", () => takeLease(application.name, options));
  try {
    const release = await releaseUnder(lease, attempt);
    progress.note(
      "It is reached from inside the cluster; an Ingress or a Gateway of the cluster opens it to the outside.",
    );
    return { release, url: urlOf(application, place) };
  } finally {
    await lease.release();
  }
}

function urlOf({ services: [first] }: Application, { namespace }: { namespace: string }): string {
  return `http://${first?.name}.${namespace}.svc.cluster.local:${first?.port}`;
}

/** A Service's name is a host's name. The hash of its secrets' version is put behind it. */
function checkName(name: string): void {
  if (/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= 50) return;
  throw new Fault(
    "kubernetes_name",
    `"${name}" cannot name something in a cluster. Use a letter, then letters, digits and dashes, at most 50.`,
  );
}

/** The pause before a pod ends is the cluster's own work since this version. */
async function checkVersion(): Promise<void> {
  interface Versions {
    serverVersion?: { major: string; minor: string };
  }
  const told = await kubectl.json<Versions>(["version", "-o", "json"], { timeoutMs: 20_000 });
  const { major = "0", minor = "0" } = told?.serverVersion ?? {};
  if (Number(major) > 1 || Number.parseInt(minor, 10) >= 30) return;
  throw new Fault("cluster_too_old", `The cluster is Kubernetes ${major}.${minor}; 1.30 or later is needed.`);
}

/** Names are shared by all that is in a namespace. */
async function refuseTaken({ name, services }: Application): Promise<void> {
  interface Found {
    items: { kind: string; metadata: { name: string; labels?: Record<string, string> } }[];
  }
  const names = services.map(({ name }) => name);
  // Without an object of these names kubectl prints nothing.
  const get = ["get", "deployments,services", ...names, "-o", "json", "--ignore-not-found"];
  const { items = [] } = (await kubectl.json<Partial<Found>>(get)) ?? {};
  const other = items.find(({ metadata }) => metadata.labels?.["app.kubernetes.io/part-of"] !== name);
  if (other)
    throw new Fault(
      "name_taken",
      `The namespace has another ${other.kind} ${other.metadata.name} already. Choose another name, or another namespace.`,
    );
}

function statusLine(cluster: Cluster, service: string): string {
  const deployment = deploymentOf(cluster, service);
  if (!deployment) return `  ${service}: gone`;
  const { availableReplicas = 0, replicas = 0 } = deployment.status ?? {};
  const restarts = restartsOf({ pods: podsOf(cluster, service) });
  return `  ${service}: ${availableReplicas} of ${replicas} pods serve${restarts > 0 ? `, restarted ${restarts} times` : ""}, ${imageOf(deployment)}`;
}
