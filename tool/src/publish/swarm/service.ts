import { execute } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import { docker, dockerOrNothing, inspect } from "../engine/docker.ts";
import { ownLabel, specificationLabel, stackName } from "./names.ts";
import { documentOf, type Specification } from "./specification.ts";

export interface Task {
  ID: string;
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

interface Service {
  ID: string;
  Spec: { Labels: Record<string, string>; TaskTemplate: Task["Spec"]; Mode: { Replicated?: { Replicas: number } } };
  UpdateStatus?: { State: string; Message: string };
}

export const findService = (name: string) => inspect<Service>("service", name);

/** By this a task, a service and a specification are known to be the same. */
export const specificationOf = (spec: Task["Spec"]) => spec.ContainerSpec.Labels?.[specificationLabel];

export async function tasksOf(service: string): Promise<Task[]> {
  const ids = await dockerOrNothing(["service", "ps", "-q", "--no-trunc", service]);
  if (!ids) return [];
  const found = await dockerOrNothing(["inspect", "--type", "task", ...ids.split("\n")]);
  return found === undefined ? [] : JSON.parse(found);
}

/** Tells the swarm what is to run; it goes about it by itself. A specification that is in force already changes nothing. */
export async function deploy(application: string, services: Record<string, Specification>): Promise<void> {
  const args = ["stack", "deploy", "--with-registry-auth", "-c", "-", stackName(application)];
  const input = documentOf(services);
  for (let tries = 1; ; tries++) {
    const failed = await docker(args, { input }).then(
      () => undefined,
      (error: Fault) => error,
    );
    if (!failed) return;
    // The swarm itself may change the service meanwhile, when it goes back by itself.
    if (tries > 5 || !/update out of sequence/.test(failed.message)) throw failed;
  }
}

/** The services of an application that are in the swarm, by their full names. */
export async function servicesOf(application: string): Promise<string[]> {
  const filter = ["--filter", `label=${ownLabel}=${application}`];
  return (await docker(["service", "ls", ...filter, "--format", "{{.Name}}"])).split("\n").filter(Boolean);
}

/** What is of somebody else is not to be changed, whatever its name. */
export async function refuseForeign(application: string, name: string): Promise<void> {
  const found = await findService(name);
  if (found && found.Spec.Labels[ownLabel] !== application)
    throw new Fault(
      "name_taken",
      `There is a service ${name} in the swarm that dory did not make. Rename one of them.`,
    );
}

/** Why a task does not run, as far as the swarm and the container tell. */
export async function whyNot(service: string, task: Task | undefined): Promise<string> {
  if (!task) return `${service} has no task: the swarm did not start one.`;
  const { State, Err, Message, ContainerStatus } = task.Status;
  const health = await healthAnswer(ContainerStatus?.ContainerID);
  return [
    `${service} is not healthy. Its task ${task.ID.slice(0, 12)} is ${State}: ${Err ?? Message}`,
    ...(health ? [`Last health answer: ${health}`] : []),
    `Last lines of its log:\n${await lastLines(task.ID)}`,
  ].join("\n");
}

/** Only where the container is on this manager's node. */
async function healthAnswer(container: string | undefined): Promise<string | undefined> {
  if (!container) return undefined;
  const found = await inspect<{ State: { Health?: { Log?: { ExitCode: number; Output: string }[] } } }>(
    "container",
    container,
  );
  const last = found?.State.Health?.Log?.at(-1);
  return last && (last.Output.trim().slice(-400) || `the health check ended with ${last.ExitCode}`);
}

async function lastLines(task: string, lines = 20): Promise<string> {
  const args = ["service", "logs", "--raw", "--tail", String(lines), task];
  const { code, stdout, stderr } = await execute("docker", args, { timeoutMs: 10_000 });
  const said = code === 0 ? `${stdout}${stderr}`.trim() : "";
  return said === "" ? "  (nothing)" : said.replace(/^/gm, "  ").replace(/^(.{400}).*/gm, "$1");
}
