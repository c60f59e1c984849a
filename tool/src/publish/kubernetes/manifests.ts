import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import type { IIngress, INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { ISecret, IService } from "kubernetes-models/v1";
import type { Application } from "../application.ts";
import type { Release, ReleasedService, Scale } from "../release.ts";
import type { Secrets } from "../secrets.ts";
import { configurationAnnotation, releaseAnnotation, secretName, toLabels } from "./names.ts";
import { hashPod, specifyPod } from "./pod.ts";

/** A release in a cluster, with the number of pods per service and the public route. */
export interface KubernetesRelease extends Release {
  scale: Scale;
  /** How long a new pod is watched before it replaces an old one. */
  watchSeconds?: number;
  route?: Route;
  /** Secrets of the namespace that the cluster pulls images with. */
  pullSecrets?: string[];
}

/** The route from a domain to the first service: an Ingress, or a Gateway of the cluster. */
export interface Route {
  domain: string;
  gateway?: string;
  ingressClass?: string;
  tlsSecret?: string;
}

export function chooseRoute({ kubernetes = {} }: Application, domain: string): Route {
  const { gateway, ingressClass, tlsSecret } = kubernetes;
  if (gateway !== undefined) return { domain, gateway };
  return { domain, ...(ingressClass ? { ingressClass } : {}), ...(tlsSecret ? { tlsSecret } : {}) };
}

/** Any other kind; only these fields are used. */
interface OtherManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: object;
}

export type Manifest =
  | IDeployment
  | IService
  | IPodDisruptionBudget
  | IHorizontalPodAutoscaler
  | INetworkPolicy
  | IIngress
  | ISecret
  | OtherManifest;

/** How many pods each service has now. */
export type Counts = Record<string, number>;

/** All objects of a release except its secrets, which are applied before and kept when it is replaced. */
export function createManifests(application: string, release: KubernetesRelease, counts: Counts = {}): Manifest[] {
  return [
    ...createSupportManifests(application, release),
    ...release.services.map((service) => deploymentManifest(application, service, release, counts)),
  ];
}

/** The objects around the pods of a release: services, network policies, routes and scaling. */
export function createSupportManifests(application: string, { services, scale, route }: KubernetesRelease): Manifest[] {
  return services.flatMap(({ name, port }, index) => [
    serviceManifest(application, name, port),
    policyManifest(application, name, index === 0),
    ...(route && index === 0 ? [routeManifest(application, name, port, route)] : []),
    ...(scale.min > 1 ? [budgetManifest(application, name)] : []),
    ...(scale.max > scale.min ? [autoscalerManifest(application, name, scale)] : []),
  ]);
}

/** A version of secrets. It is immutable: each version is a new object. */
export function secretManifest(application: string, service: string, version: string, secrets: Secrets): ISecret {
  const data = Object.entries(secrets).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(service, version), labels: toLabels(application, service) },
    type: "Opaque",
    immutable: true,
    data: Object.fromEntries(data),
  };
}

/** A publisher notices this much later that a pod is ready, and only then begins its watch. */
const publisherDelaySeconds = 5;

function deploymentManifest(
  application: string,
  service: ReleasedService,
  { id, scale, commit, pullSecrets, watchSeconds = 0 }: KubernetesRelease,
  counts: Counts,
): IDeployment {
  const labels = toLabels(application, service.name);
  const annotations = { [configurationAnnotation]: hashPod(service, pullSecrets) };
  const minReadySeconds = watchSeconds + publisherDelaySeconds;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: service.name,
      labels,
      annotations: { [releaseAnnotation]: id, ...(commit === null ? {} : { "dory/commit": commit }) },
    },
    spec: {
      // Keeps the autoscaler's number: without it the cluster would scale down to one pod for a while.
      replicas: Math.min(scale.max, Math.max(scale.min, counts[service.name] ?? 0)),
      selector: { matchLabels: labels },
      // All new pods start next to the old ones. An old one ends when a new one has been ready for the whole watch, so
      // a release that crashes once it gets requests leaves all old pods in place.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "100%" } },
      minReadySeconds,
      progressDeadlineSeconds: 300 + minReadySeconds,
      template: { metadata: { labels, annotations }, spec: specifyPod(service, pullSecrets) },
    },
  };
}

function serviceManifest(application: string, name: string, port: number): IService {
  const labels = toLabels(application, name);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels },
    spec: { selector: labels, ports: [{ name: "http", port, targetPort: "http" }] },
  };
}

/** The first service is public; only pods of the application can reach the others. */
function policyManifest(application: string, name: string, isPublic: boolean): INetworkPolicy {
  const labels = toLabels(application, name);
  const from = isPublic ? {} : { from: [{ podSelector: { matchLabels: toLabels(application) } }] };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress"],
      ingress: [{ ...from, ports: [{ port: "http" }] }],
    },
  };
}

function routeManifest(application: string, name: string, port: number, route: Route): IIngress | OtherManifest {
  const metadata = { name, labels: toLabels(application, name) };
  const { domain, gateway, ingressClass, tlsSecret } = route;
  if (gateway !== undefined)
    return {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata,
      spec: { parentRefs: [{ name: gateway }], hostnames: [domain], rules: [{ backendRefs: [{ name, port }] }] },
    };
  const backend = { service: { name, port: { name: "http" } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata,
    spec: {
      ...(ingressClass === undefined ? {} : { ingressClassName: ingressClass }),
      ...(tlsSecret === undefined ? {} : { tls: [{ hosts: [domain], secretName: tlsSecret }] }),
      rules: [{ host: domain, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

function budgetManifest(application: string, name: string): IPodDisruptionBudget {
  const labels = toLabels(application, name);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

function autoscalerManifest(application: string, name: string, { min, max }: Scale): IHorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, labels: toLabels(application, name) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: min,
      maxReplicas: max,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
      ],
    },
  };
}
