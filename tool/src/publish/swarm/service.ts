import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { docker, dockerLines, dockerOrNothing, inspectAll, inspectEach } from "../engine/docker.ts";
import { ownLabel, proxyService, serviceName, specificationLabel, stackName } from "./names.ts";
import type { SwarmRelease } from "./release.ts";
import { printStack, type Specification } from "./specification.ts";

export interface Task {
  ID: string;
  ServiceID: string;
  NodeID?: string;
  DesiredState: string;
  Status: {
    State: string;
    Message: string;
    Err?: string;
    ContainerStatus?: { ContainerID?: string; ExitCode?: number };
  };
  Spec: { ContainerSpec: { Image: string; Labels?: Record<string, string> } };
  NetworksAttachments?: { Addresses?: string[] }[];
}

export interface Service {
  ID: string;
  Spec: {
    Name: string;
    Labels: Record<string, string>;
    TaskTemplate: Task["Spec"];
    Mode: { Replicated?: { Replicas: number } };
  };
  UpdateStatus?: { State: string; Message: string };
}

export const findServices = (names: string[]) => inspectEach<Service>("service", names, ({ Spec }) => Spec.Name);

/** Compares a task, a service and a specification. */
export const readSpecificationHash = (spec: Task["Spec"]) => spec.ContainerSpec.Labels?.[specificationLabel];

/** The tasks of these services. */
export async function findTasks(services: string[]): Promise<Task[]> {
  if (services.length === 0) return [];
  const ids = await dockerOrNothing(["service", "ps", "-q", "--no-trunc", ...services]);
  return ids ? inspectAll("task", ids.split("\n")) : [];
}

/** Deploys services; the swarm replaces tasks itself. An unchanged specification changes nothing. */
export async function deployServices(application: string, services: Record<string, Specification>): Promise<void> {
  const args = ["stack", "deploy", "--with-registry-auth", "-c", "-", stackName(application)];
  const input = printStack(services);
  for (let tries = 1; ; tries++) {
    const failed = await docker(args, { input }).then(
      () => undefined,
      (error: Fault) => error,
    );
    if (!failed) return;
    // The swarm may change the service at the same time, when it rolls back by itself.
    if (tries > 5 || !/update out of sequence/.test(failed.message)) throw failed;
  }
}

export const deployRelease = (application: string, { services }: SwarmRelease) =>
  deployServices(application, Object.fromEntries(services.map(({ name, specification }) => [name, specification])));

/** The services of an application that are in the swarm, by their full names. */
export const listServices = (application: string) =>
  dockerLines(["service", "ls", "--filter", `label=${ownLabel}=${application}`, "--format", "{{.Name}}"]);

/** Removes the services of an application that do not belong to a release. */
export async function removeOthers(application: string, release: SwarmRelease | undefined): Promise<void> {
  const own = release ? [...release.services.map(({ name }) => name), proxyService(release.port)] : [];
  const names = new Set(own.map((service) => serviceName(application, service)));
  const others = (await listServices(application)).filter((name) => !names.has(name));
  for (const name of others) await dockerOrNothing(["service", "rm", name]);
  for (const name of others) await waitUntilGone(name);
}

/** A port, secret or volume is free when no task uses it. */
export async function waitUntilGone(service: string): Promise<void> {
  const filter = ["--filter", `label=com.docker.swarm.service.name=${service}`];
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(1000))
    if ((await docker(["ps", "-aq", ...filter])) === "") return;
}

/** The services that exist; one that Dory did not make must not be changed. */
export async function findOwnServices(application: string, names: string[]): Promise<Service[]> {
  const found = await inspectAll<Service>("service", names);
  const foreign = found.find(({ Spec }) => Spec.Labels[ownLabel] !== application);
  if (!foreign) return found;
  throw new Fault(
    "name_taken",
    `There is a service ${foreign.Spec.Name} in the swarm that dory did not make. Rename one of them.`,
  );
}
