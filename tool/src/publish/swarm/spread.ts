import { setTimeout as sleep } from "node:timers/promises";
import { docker, dockerLines, inspectAll } from "../engine/docker.ts";
import type { Node } from "./manager.ts";
import { serviceName } from "./names.ts";
import type { SwarmRelease } from "./release.ts";
import { findTasks } from "./service.ts";

/**
 * Spreads the tasks of a release over the nodes again. A new task starts before an old one ends, so the last one often
 * starts next to another; and a node that was away has none. The swarm itself does not move tasks. But it starts one more
 * on the node with the fewest, and when there is one too many, it ends one on the node with the most.
 */
export async function spreadTasks(application: string, { services }: SwarmRelease): Promise<void> {
  for (const { name, specification } of services) {
    const { replicas = 1, placement } = specification.deploy;
    if (replicas > 1 && placement === undefined) await spreadService(serviceName(application, name), replicas);
  }
}

async function spreadService(service: string, replicas: number): Promise<void> {
  const nodes = await listNodes();
  // Each round moves one task.
  for (let round = 0; round < nodes.length && !isEven(nodes, await listPlaces(service)); round++) {
    await scale(service, replicas + 1);
    const isStarted = await waitForTasks(service, replicas + 1);
    await scale(service, replicas);
    if (!isStarted || !(await waitForTasks(service, replicas))) return;
  }
}

/** Whether no node has two tasks more than another. */
export function isEven(nodes: string[], places: string[]): boolean {
  const counts = nodes.map((node) => places.filter((place) => place === node).length);
  return Math.max(...counts) - Math.min(...counts) < 2;
}

/** The nodes that take tasks. */
async function listNodes(): Promise<string[]> {
  const nodes = await inspectAll<Node>("node", await dockerLines(["node", "ls", "-q"]));
  return nodes.flatMap(({ ID, Spec, Status }) =>
    Spec.Availability === "active" && Status.State === "ready" ? [ID] : [],
  );
}

/** The node of each task that runs. */
async function listPlaces(service: string): Promise<string[]> {
  const tasks = await findTasks([service]);
  return tasks.flatMap(({ NodeID, DesiredState, Status }) =>
    NodeID && DesiredState === "running" && Status.State === "running" ? [NodeID] : [],
  );
}

const scale = (service: string, replicas: number) => docker(["service", "scale", "--detach", `${service}=${replicas}`]);

async function waitForTasks(service: string, count: number): Promise<boolean> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(500))
    if ((await listPlaces(service)).length === count) return true;
  return false;
}
