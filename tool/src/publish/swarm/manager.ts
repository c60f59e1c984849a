import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { docker, inspect } from "../engine/docker.ts";
import { proxyService, serviceName } from "./names.ts";

interface Swarm {
  NodeID: string;
  LocalNodeState: string;
  ControlAvailable: boolean;
}

/** Checks that the engine is a manager. Returns the id of its node. */
export async function checkManager(): Promise<string> {
  const swarm: Swarm = JSON.parse(await docker(["info", "--format", "{{json .Swarm}}"]));
  if (swarm.LocalNodeState !== "active")
    throw new Fault(
      "no_swarm",
      "This engine is not in a swarm. Run docker swarm init, or set DOCKER_HOST to a manager.",
    );
  if (!swarm.ControlAvailable)
    throw new Fault(
      "not_manager",
      "This engine is a worker of its swarm, not a manager. Set DOCKER_HOST to a manager, or make this one a manager with docker node promote.",
    );
  return swarm.NodeID;
}

/** The names of services are host names too. */
export function checkNames({ name, services }: Application): void {
  for (const full of services.map((service) => serviceName(name, service.name))) {
    if (full.includes("."))
      throw new Fault(
        "name",
        `Names in a swarm have no dots, but ${full} has one. Rename the application or the service.`,
      );
    if (full.length > 63 || serviceName(name, proxyService(65_535)).length > 63)
      throw new Fault(
        "name",
        `The name ${full} is too long for a swarm: at most 63 characters, and 46 without the service.`,
      );
  }
}

interface Node {
  ID: string;
  Spec: { Availability: string };
  Status: { State: string; Addr: string };
}

export const findNode = (id: string) => inspect<Node>("node", id);

/** A node to keep data on: the manager's own if it runs tasks, otherwise the first that does. */
export async function nodeForData(): Promise<string> {
  const own = await checkManager();
  const ids = (await docker(["node", "ls", "-q"])).split("\n").filter(Boolean);
  for (const id of [own, ...ids]) {
    const node = await findNode(id);
    if (node?.Spec.Availability === "active" && node.Status.State === "ready") return node.ID;
  }
  throw new Fault("no_node", "No node of the swarm accepts tasks. Run docker node ls, and make one active.");
}
