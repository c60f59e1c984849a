import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { findLive } from "../release.ts";
import { type Driver, isScaled, type Options, type Target, toScale } from "../target.ts";
import { countPods, findPods, readCluster, runsService } from "./cluster.ts";
import { apply, checkVersion, kubectl, readPlace } from "./kubectl.ts";
import { findHolder, takeLease } from "./lease.ts";
import { chooseRoute, createManifests, type KubernetesRelease, type Manifest, secretManifest } from "./manifests.ts";
import { runMigrations } from "./migrate.ts";
import { leaseName, readServiceName, secretName } from "./names.ts";
import { observe } from "./observe.ts";
import { pruneSecrets, pruneServices, remove } from "./prune.ts";
import { readReleases, removeHistory, writeReleases } from "./state.ts";

/** The cluster and the namespace that kubectl is set to. */
export const kubernetesTarget: Target = {
  needsRegistry: true,
  can: {
    services: true,
    replicas: true,
    autoscale: true,
    domain: true,
    port: "In a cluster a Service has the port of its container. Leave --port out; --domain makes it public.",
    files: "A pod's files are lost with the next release.",
    tags: "A cluster needs an image by its digest.",
  },
  async open(application) {
    return createKubernetesDriver(application, await readPlace());
  },
};

function createKubernetesDriver(
  application: Application,
  { context, namespace }: { context: string; namespace: string },
): Driver<KubernetesRelease> {
  const { name } = application;
  return {
    place: `context ${context}, namespace ${namespace}`,
    paceMs: 1000,

    async check(options) {
      for (const service of [application, ...application.services]) checkName(service.name);
      await checkVersion();
      await refuseTaken(application, options);
    },

    lock: (options, update) => takeLease(name, options, update),
    findHolder: () => findHolder(name),
    history: () => readReleases(name),
    record: (releases) => writeReleases(name, releases),

    /** Options that are not set keep their values; what dory.json says about the route counts as it is now. */
    async plan({ release, options }, before, id) {
      const { scale: restoredScale, route: restoredRoute } = release as Partial<KubernetesRelease>;
      const live = findLive(before);
      const scale = isScaled(options) ? toScale(options) : (restoredScale ?? live?.scale ?? toScale(options));
      const domain = options.domain ?? live?.route?.domain;
      const asked = domain === undefined ? undefined : chooseRoute(application, domain);
      const route = options.domain === undefined ? (restoredRoute ?? asked) : asked;
      const { pullSecrets } = application.kubernetes ?? {};
      const extras = { ...(route ? { route } : {}), ...(pullSecrets ? { pullSecrets } : {}) };
      const watchSeconds = Math.ceil(options.watchMs / 1000);
      return { ...release, ...extras, scale, watchSeconds, id, status: "pending" };
    },

    async putSecrets(release, values) {
      for (const { name: service, secretsVersion } of release.services)
        if (secretsVersion !== null) await putVersion(name, service, secretsVersion, values?.[service]);
      return release;
    },

    async startNeeded(release) {
      const needed = release.services.filter(({ isBuilt }) => !isBuilt).map((service) => service.name);
      await applyRelease(name, release, ({ metadata }) => needed.includes(readServiceName(metadata?.labels)));
    },

    async migrate(release, service) {
      const found = release.services.find((one) => one.name === service);
      return found ? runMigrations(name, release, found, this.paceMs) : { isDone: true, lines: [] };
    },

    apply: (release) => applyRelease(name, release),
    observe: (release, lines = 0) => observe(name, release, lines),

    async revert(failed, live) {
      // Without a watch: the pods of the failed release are to end soon.
      if (live) await applyRelease(name, { ...live, watchSeconds: 0 });
      await pruneServices(name, live ? [live, failed] : [failed]);
    },

    async prune(releases, withSecrets) {
      await pruneServices(name, releases);
      await pruneSecrets(name, withSecrets);
    },

    async url({ services: [first], route }) {
      if (route) return `${route.tlsSecret || route.gateway ? "https" : "http"}://${route.domain}`;
      return `http://${first?.name}.${namespace}.svc.cluster.local:${first?.port}`;
    },

    /** Pod by pod: a selector would include terminating pods of an earlier release. */
    async logs(release, { isFollowing, lines }) {
      const cluster = await readCluster(name);
      const current = release.services.flatMap((service) =>
        findPods(cluster, service.name).filter((pod) => runsService(pod, service, release)),
      );
      const how = ["--prefix", `--tail=${lines}`, ...(isFollowing ? ["--follow"] : [])];
      const codes = current.map(({ metadata }) => kubectl.show(["logs", metadata?.name ?? "", ...how]));
      return Math.max(0, ...(await Promise.all(codes)));
    },

    async render(release, secrets) {
      const hidden = release.services.flatMap(({ name: service, secretsVersion }) => {
        if (secretsVersion === null) return [];
        const values = Object.keys(secrets[service] ?? {}).map((key) => [key, "not shown"]);
        return [secretManifest(name, service, secretsVersion, Object.fromEntries(values))];
      });
      const items = [...hidden, ...createManifests(name, release)];
      return JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2);
    },

    data: async () => [],

    async remove() {
      const releases = await readReleases(name);
      await pruneServices(
        name,
        releases.map((release) => ({ ...release, status: "replaced" })),
      );
      await pruneSecrets(name, []);
      await removeHistory(name);
      await remove([`lease/${leaseName(name)}`]);
    },
  };
}

async function applyRelease(
  application: string,
  release: KubernetesRelease,
  isWanted: (manifest: Manifest) => boolean = () => true,
): Promise<void> {
  const manifests = createManifests(application, release, countPods(await readCluster(application)));
  await apply(manifests.filter(isWanted));
}

async function putVersion(
  application: string,
  service: string,
  version: string,
  values: Record<string, string> | undefined,
): Promise<void> {
  if (values) return apply([secretManifest(application, service, version, values)], { isSecret: true });
  const get = ["get", "secret", secretName(service, version), "-o", "name", "--ignore-not-found"];
  if ((await kubectl.run(get)) === "")
    throw new Fault("secrets_gone", "The secrets of that release are no longer in the cluster. Publish again.");
}

/** A Service's name is a host name, and the version of its secrets is appended to it. */
function checkName(name: string): void {
  if (/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= 50) return;
  throw new Fault(
    "kubernetes_name",
    `"${name}" cannot name something in a cluster. Use a letter, then letters, digits and dashes, at most 50.`,
  );
}

/** Refuses names that other objects in the namespace have: applying would change those. */
async function refuseTaken({ name, services, kubernetes = {} }: Application, options: Options): Promise<void> {
  interface Found {
    items: { kind: string; metadata: { name: string; labels?: Record<string, string> } }[];
  }
  const kinds = [
    "deployments",
    "services",
    "networkpolicies",
    ...(isScaled(options) ? ["poddisruptionbudgets", "horizontalpodautoscalers"] : []),
    ...(kubernetes.gateway !== undefined ? ["httproutes"] : options.domain !== undefined ? ["ingresses"] : []),
  ];
  const names = services.map(({ name }) => name);
  // If no object has these names, kubectl prints nothing.
  const get = ["get", kinds.join(","), ...names, "-o", "json", "--ignore-not-found"];
  const { items = [] } = (await kubectl.readJson<Partial<Found>>(get)) ?? {};
  const other = items.find(({ metadata }) => metadata.labels?.["app.kubernetes.io/part-of"] !== name);
  if (other)
    throw new Fault(
      "name_taken",
      `The namespace has another ${other.kind} ${other.metadata.name} already. Choose another name or another namespace.`,
    );
}
