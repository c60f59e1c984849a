import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IContainerStatus, IPod } from "kubernetes-models/v1";
import type { ReleasedService } from "../release.ts";
import type { Instance, ObservedService, Snapshot } from "../snapshot.ts";
import {
  type Cluster,
  findDeployment,
  findPods,
  isReady,
  readCluster,
  readImage,
  readRelease,
  runsService,
} from "./cluster.ts";
import { kubectl } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";

/** The state of a release in the cluster. */
export async function observe(application: string, release: KubernetesRelease, lines: number): Promise<Snapshot> {
  const cluster = await readCluster(application);
  const instances = release.services.flatMap((service) =>
    findPods(cluster, service.name).map((pod) => observePod(release, service, pod, lines)),
  );
  return {
    services: release.services.map((service) => observeService(cluster, service, release)),
    instances: await Promise.all(instances),
  };
}

function observeService(cluster: Cluster, service: ReleasedService, release: KubernetesRelease): ObservedService {
  const { name } = service;
  const wanted = release.scale.min;
  const found = findDeployment(cluster, name);
  if (!found) return { name, wanted };
  const problem = findProblem(found, release.id) ?? findLaterPods(findPods(cluster, name), service, release);
  return { name, wanted, image: readImage(found) ?? "", ...(problem === undefined ? {} : { problem }) };
}

function findProblem(found: IDeployment, id: string): string | undefined {
  if (readRelease(found) !== id) return `its Deployment is set to ${readRelease(found) ?? "something else"}`;
  const { observedGeneration = 0, updatedReplicas = 0 } = found.status ?? {};
  const { replicas = 1 } = found.spec ?? {};
  if (observedGeneration < (found.metadata?.generation ?? 0)) return "the cluster has not processed it yet";
  const refused = found.status?.conditions?.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  if (refused) return `the cluster refuses its pods: ${refused.message}`;
  return updatedReplicas < replicas ? `${updatedReplicas} of ${replicas} pods are new` : undefined;
}

/** Older pods stay until the watch is over. Pods that are newer belong to a release that was reverted, and have to end. */
function findLaterPods(pods: IPod[], service: ReleasedService, release: KubernetesRelease): string | undefined {
  const readStart = ({ metadata }: IPod) => Date.parse(String(metadata?.creationTimestamp ?? 0));
  const first = Math.min(...pods.filter((pod) => runsService(pod, service, release)).map(readStart));
  const later = pods.filter((pod) => !runsService(pod, service, release) && readStart(pod) > first);
  return later.length > 0 ? `${later.length} pods of another release are still there` : undefined;
}

/** Reasons that do not go away by waiting. */
const stuck = /^(ImagePullBackOff|InvalidImageName|CreateContainerConfigError|RunContainerError)$/;
/** One crash may be chance, like a database that is down for a moment; the cluster restarts the container. */
const crashes = 2;

async function observePod(
  release: KubernetesRelease,
  service: ReleasedService,
  pod: IPod,
  lines: number,
): Promise<Instance> {
  const name = pod.metadata?.name ?? "";
  const [status] = pod.status?.containerStatuses ?? [];
  const { waiting } = status?.state ?? {};
  const restarts = status?.restartCount ?? 0;
  const isUnwell = !isReady(pod);
  return {
    id: name,
    service: service.name,
    isReady: !isUnwell,
    restarts,
    isCurrent: runsService(pod, service, release),
    state: describeState(pod, status),
    isHopeless: stuck.test(waiting?.reason ?? "") || (waiting?.reason === "CrashLoopBackOff" && restarts >= crashes),
    ...(lines > 0 && (isUnwell || restarts > 0)
      ? { lines: await readLog(name, lines, hasRestarted(status)), events: await readEvents(name) }
      : {}),
  };
}

/** What a container waits for, or how it ended; for a crash loop, how it crashed. */
function describeState({ status }: IPod, container: IContainerStatus | undefined): string {
  const { waiting, terminated } = container?.state ?? {};
  const ended = terminated ?? container?.lastState?.terminated;
  const how = ended && `ended with ${ended.exitCode}${ended.reason ? `, ${ended.reason}` : ""}`;
  if (waiting?.reason === "CrashLoopBackOff") return ["CrashLoopBackOff", how].filter(Boolean).join(": ");
  if (waiting) return [waiting.reason, waiting.message].filter(Boolean).join(": ");
  if (terminated && how) return how;
  return hasRestarted(container) ? `running again, after it ${how}` : (status?.phase ?? "unknown");
}

/** Whether a container runs again after it ended: the reason is in the log of the one before. */
const hasRestarted = (container: IContainerStatus | undefined) =>
  container?.state?.running !== undefined && container.lastState?.terminated !== undefined;

async function readLog(pod: string, lines: number, hasRestarted: boolean): Promise<string[]> {
  const read = (...flags: string[]) => runIfPossible(["logs", pod, `--tail=${lines}`, ...flags]);
  const [first, second] = hasRestarted ? [["--previous"], []] : [[], ["--previous"]];
  const text = (await read(...first)) || (await read(...second));
  return text.split("\n").filter(Boolean);
}

/** One line each: warnings first, then the newest; back-off messages come after other warnings. */
async function readEvents(pod: string): Promise<string[]> {
  interface Event {
    type?: string;
    message?: string;
  }
  const select = `involvedObject.kind=Pod,involvedObject.name=${pod}`;
  const get = ["get", "events", "--field-selector", select, "--sort-by=.metadata.creationTimestamp", "-o", "json"];
  const { items = [] }: { items?: Event[] } = JSON.parse((await runIfPossible(get)) || "{}");
  const rank = ({ type, message = "" }: Event) => (type !== "Warning" ? 2 : message.startsWith("Back-off") ? 1 : 0);
  const ordered = items.toReversed().sort((a, b) => rank(a) - rank(b));
  return [...new Set(ordered.map(({ message = "" }) => message.trim().replaceAll(/\s*\n\s*/g, " ")))].slice(0, 4);
}

/** Empty on failure: logs and events only explain a fault. */
const runIfPossible = (args: string[]) => kubectl.run(args, { timeoutMs: 15_000 }).catch(() => "");
