import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IPod } from "kubernetes-models/v1";
import type { ReleasedService } from "../release.ts";
import { kubectl } from "./kubectl.ts";
import type { Counts, KubernetesRelease } from "./manifests.ts";
import { secretName, selectorOf } from "./names.ts";

/** What a cluster has of an application, at one moment. */
export interface Cluster {
  deployments: IDeployment[];
  /** Without those that are on their way out. */
  pods: IPod[];
}

export async function lookAtCluster(application: string): Promise<Cluster> {
  const get = ["get", "deployments,pods", "-l", selectorOf(application), "-o", "json"];
  const { items = [] } = (await kubectl.json<{ items: (IDeployment | IPod)[] }>(get)) ?? {};
  return {
    deployments: items.filter((item): item is IDeployment => item.kind === "Deployment"),
    pods: items.filter((item): item is IPod => item.kind === "Pod" && !item.metadata?.deletionTimestamp),
  };
}

export function deploymentOf({ deployments }: Cluster, service: string): IDeployment | undefined {
  return deployments.find(({ metadata }) => metadata?.name === service);
}

export function podsOf({ pods }: Cluster, service: string): IPod[] {
  return pods.filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/name"] === service);
}

export function countsIn({ deployments }: Cluster): Counts {
  return Object.fromEntries(deployments.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.replicas ?? 1]));
}

/** Why a release does not serve, by what the cluster tells; nothing if all of it does. */
export function whyNotServing(cluster: Cluster, { services, scale }: KubernetesRelease): string | undefined {
  return services.map((service) => whyNot(cluster, service, scale.min)).find((reason) => reason !== undefined);
}

function whyNot(cluster: Cluster, service: ReleasedService, atLeast: number): string | undefined {
  const { name, image, secretsVersion } = service;
  const found = deploymentOf(cluster, name);
  if (!found) return `${name} is not in the cluster`;
  if (!runs(found, image, secretsVersion === null ? undefined : secretName(name, secretsVersion)))
    return `${name} is to run ${imageOf(found)}, not ${image}`;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = found.status ?? {};
  if (observedGeneration < (found.metadata?.generation ?? 0)) return `the cluster has not taken up ${name} yet`;
  if (updatedReplicas !== replicas || availableReplicas < atLeast)
    return `of ${name}, ${updatedReplicas} of ${replicas} pods are new and ${availableReplicas} can serve`;
  const isServing = podsOf(cluster, name).filter((pod) => isReady(pod) && pod.spec?.containers[0]?.image === image);
  return isServing.length < atLeast ? `of ${name}, ${isServing.length} pods serve ${image}` : undefined;
}

/** Whether a Deployment asks for this image and this version of secrets. */
export function runs(deployment: IDeployment, image: string | undefined, secret: string | undefined): boolean {
  return imageOf(deployment) === image && secretOf(deployment) === secret;
}

export const imageOf = ({ spec }: IDeployment) => spec?.template.spec?.containers[0]?.image;

export const secretOf = ({ spec }: IDeployment) =>
  spec?.template.spec?.volumes?.find(({ name }) => name === "secrets")?.secret?.secretName;

export const isReady = ({ status }: IPod) =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

export function restartsOf({ pods }: Pick<Cluster, "pods">): number {
  const counts = pods.flatMap(({ status }) => status?.containerStatuses?.map(({ restartCount }) => restartCount) ?? []);
  return counts.reduce((sum, count) => sum + count, 0);
}
