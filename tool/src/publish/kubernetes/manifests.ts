import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { ISecret, IService } from "kubernetes-models/v1";
import type { Release, ReleasedService } from "../release.ts";
import type { Secrets } from "../secrets.ts";
import type { Scale } from "../target.ts";
import { labelsOf, secretName } from "./names.ts";
import { podOf } from "./pod.ts";

/** A release as a cluster keeps it: with how many pods each of its services has. */
export interface KubernetesRelease extends Release {
  scale: Scale;
}

export type Manifest = IDeployment | IService | IPodDisruptionBudget | IHorizontalPodAutoscaler | ISecret;

/** How many pods each service has now. */
export type Counts = Record<string, number>;

/** All that a release is made of, but its secrets: they are handed over before, and stay when it is replaced. */
export function manifestsOf(application: string, release: KubernetesRelease, counts: Counts = {}): Manifest[] {
  return [
    ...besideOf(application, release),
    ...release.services.map((service) => deployment(application, service, release, counts)),
  ];
}

/** What stands beside a release's pods: how they are reached, and how many there are. */
export function besideOf(application: string, { services, scale }: KubernetesRelease): Manifest[] {
  return services.flatMap(({ name, port }) => [
    clusterService(application, name, port),
    ...(scale.min > 1 ? [disruptionBudget(application, name)] : []),
    ...(scale.max > scale.min ? [autoscaler(application, name, scale)] : []),
  ]);
}

/** A version of secrets: it never changes, so another version is another object. */
export function secretManifest(application: string, service: string, version: string, secrets: Secrets): ISecret {
  const data = Object.entries(secrets).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(service, version), labels: labelsOf(application, service) },
    type: "Opaque",
    immutable: true,
    data: Object.fromEntries(data),
  };
}

function deployment(
  application: string,
  service: ReleasedService,
  { id, scale, commit }: KubernetesRelease,
  counts: Counts,
): IDeployment {
  const labels = labelsOf(application, service.name);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: service.name,
      labels,
      annotations: { "dory/release": id, ...(commit === null ? {} : { "dory/commit": commit }) },
    },
    spec: {
      // What an autoscaler chose stays: without a number the cluster would go down to one pod for a while.
      replicas: Math.min(scale.max, Math.max(scale.min, counts[service.name] ?? 0)),
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      minReadySeconds: 5,
      progressDeadlineSeconds: 300,
      template: { metadata: { labels }, spec: podOf(service) },
    },
  };
}

function clusterService(application: string, name: string, port: number): IService {
  const labels = labelsOf(application, name);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels },
    spec: { selector: labels, ports: [{ name: "http", port, targetPort: "http" }] },
  };
}

function disruptionBudget(application: string, name: string): IPodDisruptionBudget {
  const labels = labelsOf(application, name);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

function autoscaler(application: string, name: string, { min, max }: Scale): IHorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, labels: labelsOf(application, name) },
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
