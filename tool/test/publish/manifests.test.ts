import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Lease } from "kubernetes-models/coordination.k8s.io/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Secret, Service } from "kubernetes-models/v1";
import type { Application } from "../../src/publish/application.ts";
import { applyArgs } from "../../src/publish/kubernetes/kubectl.ts";
import { leaseManifest } from "../../src/publish/kubernetes/lease.ts";
import {
  chooseRoute,
  createManifests,
  type KubernetesRelease,
  secretManifest,
} from "../../src/publish/kubernetes/manifests.ts";
import { releasesManifest } from "../../src/publish/kubernetes/state.ts";
import { attemptFor, digest, planted, postgresSecret, quickly, shop } from "./target/world.ts";

const secret = postgresSecret(1);

function createRelease(scale = { min: 2, max: 5 }, rest: Partial<KubernetesRelease> = {}): KubernetesRelease {
  const { release } = attemptFor(shop("shop", "stock"), quickly, { secret });
  return { ...release, id: "r1", status: "live", scale, ...rest };
}

describe("manifests", () => {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a class of its own
  const models: Record<string, new (manifest: any) => { validate(): void }> = {
    Deployment,
    Service,
    NetworkPolicy,
    Ingress,
    PodDisruptionBudget,
    HorizontalPodAutoscaler,
    Secret,
    Lease,
  };
  const led: Application = { ...shop(), kubernetes: { ingressClass: "nginx", tlsSecret: "shop-tls" } };
  const release = createRelease(
    { min: 2, max: 5 },
    { pullSecrets: ["registry"], route: chooseRoute(led, "shop.example.com") },
  );
  const manifests = [
    ...createManifests("shop", release),
    secretManifest("shop", "shop", "0123456789ab", { DATABASE_URL: secret }),
    releasesManifest("shop", [release]),
    leaseManifest("shop", "ann@desk 12345678", "7"),
  ];

  test("are valid against the schemas that Kubernetes publishes", () => {
    assert.deepEqual(new Set(manifests.map(({ kind }) => kind)), new Set(Object.keys(models)));
    for (const manifest of manifests) {
      const Model = models[manifest.kind];
      assert.ok(Model);
      new Model(JSON.parse(JSON.stringify(manifest))).validate();
    }
  });

  test("meet the restricted profile, with only /tmp writable, and limits", () => {
    for (const { spec } of deployments(release)) {
      const pod = spec?.template.spec;
      assert.deepEqual(pod?.securityContext, {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        fsGroup: 65_532,
        seccompProfile: { type: "RuntimeDefault" },
      });
      assert.deepEqual(pod?.containers[0]?.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      assert.deepEqual(pod?.volumes?.[0], { name: "tmp", emptyDir: { sizeLimit: "64Mi" } });
      assert.equal(pod?.automountServiceAccountToken, false);
      assert.deepEqual(pod?.imagePullSecrets, [{ name: "registry" }]);
      assert.deepEqual(pod?.containers[0]?.resources?.limits, {
        cpu: "1",
        memory: "512Mi",
        "ephemeral-storage": "256Mi",
      });
    }
  });

  test("replace pods without a gap, and end them only when they get no more requests", () => {
    const [{ spec } = {}] = deployments(release);
    assert.deepEqual(spec?.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: "100%" });
    // The last old pod outlives the watch of the publisher, which begins later than the last new pod is ready.
    const [{ spec: watched } = {}] = deployments({ ...release, watchSeconds: 60 });
    assert.deepEqual([spec?.minReadySeconds, watched?.minReadySeconds], [5, 65]);
    assert.ok(Number(watched?.progressDeadlineSeconds) > 65);
    const [container] = spec?.template.spec?.containers ?? [];
    assert.deepEqual(container?.lifecycle?.preStop, { sleep: { seconds: 5 } });
    assert.equal(spec?.template.spec?.terminationGracePeriodSeconds, 20);
    for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe])
      assert.deepEqual(probe?.httpGet, { path: "/health", port: "http" });
  });

  test("pass secrets as files of a version that never changes", () => {
    const version = release.services[0]?.secretsVersion;
    const [{ spec } = {}] = deployments(release);
    const { containers: [container] = [], volumes } = spec?.template.spec ?? {};
    assert.deepEqual(volumes?.[1], { name: "secrets", secret: { secretName: `shop-${version}`, defaultMode: 0o440 } });
    const file = container?.env?.find(({ name }) => name === "DATABASE_URL_FILE");
    assert.equal(file?.value, "/run/secrets/dory/DATABASE_URL");
    assert.equal(secretManifest("shop", "shop", "0123456789ab", { DATABASE_URL: secret }).immutable, true);
    assert.ok(!JSON.stringify(createManifests("shop", release)).includes(planted));
  });

  test("have a budget from two pods up, and an autoscaler on request", () => {
    const kinds = (min: number, max: number) =>
      createManifests("shop", createRelease({ min, max })).map(({ kind }) => kind);
    assert.ok(!kinds(1, 1).includes("PodDisruptionBudget"));
    assert.ok(kinds(2, 2).includes("PodDisruptionBudget"));
    assert.ok(!kinds(2, 2).includes("HorizontalPodAutoscaler"));
    assert.ok(kinds(2, 5).includes("HorizontalPodAutoscaler"));
  });

  test("keep the number of pods that an autoscaler chose", () => {
    const replicas = (min: number, max: number, now?: number) =>
      deployments(createRelease({ min, max }), now === undefined ? {} : { shop: now })[0]?.spec?.replicas;
    assert.deepEqual([replicas(3, 3), replicas(3, 3, 1), replicas(2, 5)], [3, 3, 2]);
    assert.deepEqual([replicas(2, 5, 4), replicas(2, 5, 1), replicas(2, 5, 9)], [4, 2, 5]);
  });

  test("make the first service public, and the others reachable only in the application", () => {
    const policies = manifests.filter((one): one is NetworkPolicy => one.kind === "NetworkPolicy");
    const mine = { "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/managed-by": "dory" };
    assert.deepEqual(
      policies.map(({ spec }) => spec?.ingress),
      [
        [{ ports: [{ port: "http" }] }],
        [{ from: [{ podSelector: { matchLabels: mine } }], ports: [{ port: "http" }] }],
      ],
    );
  });

  test("route a domain to the first service, by an Ingress or a gateway of the cluster", () => {
    const route = (application: Application) =>
      createManifests("shop", createRelease(undefined, { route: chooseRoute(application, "shop.example.com") })).find(
        ({ kind }) => ["Ingress", "HTTPRoute"].includes(kind),
      );
    const backend = { service: { name: "shop", port: { name: "http" } } };
    const rules = [{ host: "shop.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }];
    assert.deepEqual(spec(route(shop())), { rules });
    const tls = [{ hosts: ["shop.example.com"], secretName: "shop-tls" }];
    assert.deepEqual(spec(route(led)), { ingressClassName: "nginx", tls, rules });
    const gateway = route({ ...shop(), kubernetes: { gateway: "public" } });
    assert.deepEqual([gateway?.apiVersion, gateway?.kind], ["gateway.networking.k8s.io/v1", "HTTPRoute"]);
    assert.deepEqual(spec(gateway), {
      parentRefs: [{ name: "public" }],
      hostnames: ["shop.example.com"],
      rules: [{ backendRefs: [{ name: "shop", port: 3000 }] }],
    });
  });

  test("distinguish pods that differ in a variable, a secret or a pull secret, and no others", () => {
    const annotation = (change: object, rest: Partial<KubernetesRelease> = {}) => {
      const base = createRelease(undefined, rest);
      const services = base.services.map((service) => ({ ...service, ...change }));
      return deployments({ ...base, services, id: "r9", by: "bob" })[0]?.spec?.template.metadata?.annotations;
    };
    const same = annotation({});
    assert.deepEqual(annotation({}), same);
    for (const change of [{ env: {} }, { secretsVersion: "0" }, { image: digest("b") }])
      assert.notDeepEqual(annotation(change), same);
    assert.notDeepEqual(annotation({}, { pullSecrets: ["registry"] }), same);
  });

  const spec = (manifest: object | undefined) => (manifest as { spec?: object } | undefined)?.spec;

  function deployments(release: KubernetesRelease, counts = {}): IDeployment[] {
    return createManifests("shop", release, counts).filter((one): one is IDeployment => one.kind === "Deployment");
  }
});

test("objects are applied on the server, with dory as the field manager, from stdin", () => {
  assert.equal(applyArgs.join(" "), "apply --server-side --field-manager=dory --force-conflicts -f -");
});
