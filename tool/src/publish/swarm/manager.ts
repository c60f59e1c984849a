import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { docker, findEngineHost, inspect } from "../engine/docker.ts";
import { proxyService, serviceName } from "./names.ts";

interface Swarm {
  NodeID: string;
  LocalNodeState: string;
  ControlAvailable: boolean;
}

/** The manager that publishes. */
export interface Manager {
  /** The id of its node. */
  node: string;
  /** As seen from here. */
  host: string | undefined;
  /** Whether health checks can have another interval while a task starts. */
  hasStartInterval: boolean;
}

/** Checks that the engine is a manager. */
export async function findManager(): Promise<Manager> {
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
  // What the command and the engine agree on; start intervals came with 1.44.
  const api = await docker(["version", "--format", "{{.Client.APIVersion}}"]);
  return { node: swarm.NodeID, host: await findEngineHost(), hasStartInterval: Number(api.split(".")[1]) >= 44 };
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

export interface Node {
  ID: string;
  Spec: { Availability: string };
  Status: { State: string; Addr: string };
}

export const findNode = (id: string) => inspect<Node>("node", id);

/** A node to keep data on: the manager's own if it runs tasks, otherwise the first that does. */
export async function findDataNode(own: string): Promise<string> {
  const ids = (await docker(["node", "ls", "-q"])).split("\n").filter(Boolean);
  for (const id of [own, ...ids]) {
    const node = await findNode(id);
    if (node?.Spec.Availability === "active" && node.Status.State === "ready") return node.ID;
  }
  throw new Fault("no_node", "No node of the swarm accepts tasks. Run docker node ls, and make one active.");
}
