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
    services: release.services.map(({ name }) => observeService(cluster, name, release)),
    instances: await Promise.all(instances),
  };
}

function observeService(cluster: Cluster, name: string, { id, scale }: KubernetesRelease): ObservedService {
  const wanted = scale.min;
  const found = findDeployment(cluster, name);
  if (!found) return { name, wanted };
  const problem = findProblem(found, id);
  return { name, wanted, image: readImage(found) ?? "", ...(problem === undefined ? {} : { problem }) };
}

function findProblem(found: IDeployment, id: string): string | undefined {
  if (readRelease(found) !== id) return `its Deployment is set to ${readRelease(found) ?? "something else"}`;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = found.status ?? {};
  if (observedGeneration < (found.metadata?.generation ?? 0)) return "the cluster has not processed it yet";
  const refused = found.status?.conditions?.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  if (refused) return `the cluster refuses its pods: ${refused.message}`;
  if (updatedReplicas < replicas)
    return `${updatedReplicas} of ${replicas} pods are new, ${availableReplicas} can serve`;
  return undefined;
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
    ...(lines > 0 && isUnwell ? { lines: await readLog(name, lines), events: await readEvents(name) } : {}),
  };
}

/** What a container waits for, or how it ended; for a crash loop, how it crashed. */
function describeState({ status }: IPod, container: IContainerStatus | undefined): string {
  const { waiting, terminated } = container?.state ?? {};
  const ended = terminated ?? container?.lastState?.terminated;
  const how = ended && `ended with ${ended.exitCode}${ended.reason ? `, ${ended.reason}` : ""}`;
  if (waiting?.reason === "CrashLoopBackOff") return ["CrashLoopBackOff", how].filter(Boolean).join(": ");
  if (waiting) return [waiting.reason, waiting.message].filter(Boolean).join(": ");
  return terminated && how ? how : (status?.phase ?? "unknown");
}

async function readLog(pod: string, lines: number): Promise<string[]> {
  const log = await runIfPossible(["logs", pod, `--tail=${lines}`]);
  const text = log === "" ? await runIfPossible(["logs", pod, `--tail=${lines}`, "--previous"]) : log;
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
