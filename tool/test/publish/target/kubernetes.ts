import { kubernetesTarget } from "../../../src/publish/kubernetes/driver.ts";
import type { KubernetesRelease } from "../../../src/publish/kubernetes/manifests.ts";
import { findLive, listServed } from "../../../src/publish/release.ts";
import { answer, emptyCluster, type FakeCluster } from "../kubectl.ts";
import { type Recording, recordHere } from "../recording.ts";
import type { Call } from "../stand-in.ts";
import { attemptFor, postgresSecret, quickly, shop, unanswered, type World } from "./world.ts";

export interface KubernetesWorld extends World {
  cluster: Recording<FakeCluster>;
}

/** All calls of kubectl in these worlds. */
export const allCalls: Call[] = [];

/** An application in a cluster, in a stand-in for kubectl. */
export async function kubernetesWorld(application = shop()): Promise<KubernetesWorld> {
  const cluster = recordHere("kubectl", answer, emptyCluster());
  const { state } = cluster;
  return {
    application,
    cluster,
    secret: postgresSecret,
    unreadySecret: unanswered,
    open: async () => ({ ...(await kubernetesTarget.open(application)), paceMs: 5 }),
    attempt: (asked) => attemptFor(application, quickly, asked),
    async expireLease() {
      const lease = state.objects["Lease/shop-publish"];
      if (lease) lease.spec.holderIdentity = "";
    },
    async crash() {
      for (const pod of state.pods) pod.crashes++;
    },
    leftovers: async () => leftoversIn(state),
    async end() {
      allCalls.push(...cluster.calls);
    },
    visible: () =>
      JSON.stringify([cluster.calls.map(({ args, env }) => [args, env]), state.objects["Secret/shop-releases"]]),
  };
}

function leftoversIn({ objects, pods }: FakeCluster): string[] {
  const text = objects["Secret/shop-releases"]?.data["releases.json"] ?? "";
  const releases: KubernetesRelease[] = JSON.parse(Buffer.from(text, "base64").toString() || "[]");
  const live = findLive(releases);
  const versions = listServed(releases).flatMap(({ services }) =>
    services.map((one) => `${one.name}-${one.secretsVersion}`),
  );
  const kept = new Set([
    "Secret/shop-releases",
    "Lease/shop-publish",
    ...versions.map((version) => `Secret/${version}`),
    ...(live?.services ?? []).flatMap(({ name }) =>
      ["Deployment", "Service", "NetworkPolicy"].map((kind) => `${kind}/${name}`),
    ),
  ]);
  const isHeld = objects["Lease/shop-publish"]?.spec.holderIdentity;
  return [
    ...Object.keys(objects).filter((object) => !kept.has(object)),
    ...(live
      ? []
      : pods.filter(({ deployment }) => objects[`Deployment/${deployment}`]).map(({ name }) => `Pod/${name}`)),
    ...(isHeld ? [`lease of ${isHeld}`] : []),
  ];
}
