import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IPod } from "kubernetes-models/v1";
import type { ReleasedService } from "../release.ts";
import { kubectl } from "./kubectl.ts";
import type { Counts, KubernetesRelease } from "./manifests.ts";
import { configurationAnnotation, releaseAnnotation, toSelector } from "./names.ts";
import { hashPod } from "./pod.ts";

/** The objects of an application in a cluster, at one moment. */
export interface Cluster {
  deployments: IDeployment[];
  /** Without those that are terminating. */
  pods: IPod[];
}

export async function readCluster(application: string): Promise<Cluster> {
  const get = ["get", "deployments,pods", "-l", toSelector(application), "-o", "json"];
  const { items = [] } = (await kubectl.readJson<{ items: (IDeployment | IPod)[] }>(get)) ?? {};
  return {
    deployments: items.filter((item): item is IDeployment => item.kind === "Deployment"),
    pods: items.filter((item): item is IPod => item.kind === "Pod" && !item.metadata?.deletionTimestamp),
  };
}

export function findDeployment({ deployments }: Cluster, service: string): IDeployment | undefined {
  return deployments.find(({ metadata }) => metadata?.name === service);
}

export function findPods({ pods }: Cluster, service: string): IPod[] {
  return pods.filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/name"] === service);
}

export function countPods({ deployments }: Cluster): Counts {
  return Object.fromEntries(deployments.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.replicas ?? 1]));
}

export const readImage = ({ spec }: IDeployment) => spec?.template.spec?.containers[0]?.image;

/** The release that was last applied to a Deployment. */
export const readRelease = ({ metadata }: IDeployment) => metadata?.annotations?.[releaseAnnotation];

/** Whether a pod runs the service of a release: its image, configuration and secrets. */
export const runsService = ({ metadata }: IPod, service: ReleasedService, { pullSecrets }: KubernetesRelease) =>
  metadata?.annotations?.[configurationAnnotation] === hashPod(service, pullSecrets);

export const isReady = ({ status }: IPod) =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
