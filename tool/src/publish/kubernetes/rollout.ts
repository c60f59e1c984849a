import { setTimeout as sleep } from "node:timers/promises";
import type { IPod } from "kubernetes-models/v1";
import { Fault } from "../../fault.ts";
import type { Options } from "../target.ts";
import { isReady, lookAtCluster, restartsOf, whyNotServing } from "./cluster.ts";
import { kubectl, rolloutStatus } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";

/** kubectl waits in short turns, so that Ctrl-C and a lost connection are noticed between them. */
const turnSeconds = 5;

/** Waits until the pods of all services are replaced, or one of them cannot be. */
export async function rollOut(services: string[], deadline: number, stopIfInterrupted: () => void): Promise<void> {
  await Promise.all(services.map((service) => rollOutOne(service, deadline, stopIfInterrupted)));
}

async function rollOutOne(service: string, deadline: number, stopIfInterrupted: () => void): Promise<void> {
  for (;;) {
    stopIfInterrupted();
    const left = Math.max(1, Math.ceil((deadline - Date.now()) / 1000));
    try {
      const turn = Math.min(turnSeconds, left);
      await kubectl.run(rolloutStatus(service, turn), { timeoutMs: (turn + 15) * 1000 });
      return;
    } catch (error) {
      const { code, message } = error as Fault;
      const isHopeless = code !== "cluster_unreachable" && !/timed out waiting/i.test(message);
      if (isHopeless || Date.now() >= deadline) throw rolloutFault(service, error as Error);
      if (code === "cluster_unreachable") await sleep(1000);
    }
  }
}

function rolloutFault(service: string, { message }: Error): Fault {
  const isLate = /timed out waiting/i.test(message);
  return new Fault(
    "rollout_failed",
    `${service} did not become healthy${isLate ? " in time (--health-seconds)" : ""}: ${message.split("\n").at(-1)}`,
  );
}

/** The rollout says that it is done; whether the intended images serve is seen in the cluster itself. */
export async function seen(application: string, release: KubernetesRelease, { healthMs }: Options): Promise<void> {
  let reason: string | undefined;
  for (const deadline = Date.now() + Math.min(healthMs, 20_000); Date.now() < deadline; await sleep(1000)) {
    reason = whyNotServing(await lookAtCluster(application), release);
    if (reason === undefined) return;
  }
  throw new Fault("not_seen", `The rollout ended, but the release is not seen serving: ${reason}.`);
}

/** Looks after the new release for a while. */
export async function watch(application: string, release: KubernetesRelease, options: Options): Promise<void> {
  const restarts = restartsOf(await lookAtCluster(application));
  for (const end = Date.now() + options.watchMs; Date.now() < end && !options.interrupted.aborted; await sleep(1000)) {
    const cluster = await lookAtCluster(application);
    if (restartsOf(cluster) > restarts) throw new Fault("crashed", "A pod of the new release crashed.");
    const reason = whyNotServing(cluster, release);
    if (reason !== undefined) throw new Fault("unhealthy", `The new release stopped serving: ${reason}.`);
  }
}

/** What the pods of a release that failed tell: their state, the cluster's events and their last lines. */
export async function told(application: string, { services }: KubernetesRelease): Promise<string> {
  const images = new Set(services.map(({ image }) => image));
  const { pods } = await lookAtCluster(application);
  const unwell = pods.filter((pod) => images.has(pod.spec?.containers[0]?.image ?? "") && !isReady(pod));
  return (await Promise.all(unwell.slice(0, 3).map(tellPod))).join("");
}

async function tellPod(pod: IPod): Promise<string> {
  const name = pod.metadata?.name ?? "";
  const { waiting, terminated } = pod.status?.containerStatuses?.[0]?.state ?? {};
  const state = [waiting?.reason, waiting?.message, terminated?.reason].filter(Boolean).join(": ");
  const select = `involvedObject.kind=Pod,involvedObject.name=${name}`;
  const events = await orNothing(["get", "events", "--field-selector", select, "-o", "jsonpath={.items[*].message}"]);
  const log = await orNothing(["logs", name, "--tail=15"]);
  const previous = log === "" ? await orNothing(["logs", name, "--tail=15", "--previous"]) : log;
  return [`\n${name}: ${state || pod.status?.phase || "unknown"}`, events, previous]
    .filter(Boolean)
    .join("\n")
    .replaceAll("\n", "\n  ");
}

/** Told as far as it can be: the fault itself matters more than what is said about it. */
const orNothing = (args: string[]) => kubectl.run(args, { timeoutMs: 15_000 }).catch(() => "");
