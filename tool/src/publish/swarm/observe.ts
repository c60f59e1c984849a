import { execute } from "../../execute.ts";
import { inspect } from "../engine/docker.ts";
import type { Instance, ObservedService, Snapshot } from "../snapshot.ts";
import type { Manager } from "./manager.ts";
import { serviceName, specificationLabel } from "./names.ts";
import { askProxy } from "./proxy.ts";
import type { SwarmRelease, SwarmService } from "./release.ts";
import { findServices, findTasks, readSpecificationHash, type Service, type Task } from "./service.ts";

/** The state of a release in the swarm. */
export async function observe(
  application: string,
  { services, port }: SwarmRelease,
  { manager, path, lines }: { manager: Manager; path: string; lines: number },
): Promise<Snapshot> {
  const found = await findServices(services.map(({ name }) => serviceName(application, name)));
  // Read after the services, so that a task that makes the swarm roll back is among these.
  const all = await findTasks(found.flatMap((service) => service?.ID ?? []));
  const observed = await Promise.all(
    services.map((service, index) => observeService(service, found[index], all, lines)),
  );
  const { status, body, upstream } = await askProxy(application, port, path, manager);
  const answering = observed[0]?.tasks.find((task) => listAddresses(task).includes(upstream.replace(/:\d+$/, "")));
  const isCurrent = answering !== undefined && readSpecificationHash(answering.Spec) === readIntendedHash(services[0]);
  return {
    services: observed.map(({ service }) => service),
    instances: observed.flatMap(({ instances }) => instances),
    outside: { status, body, isCurrent },
  };
}

async function observeService(service: SwarmService, found: Service | undefined, all: Task[], lines: number) {
  const tasks = all.filter(({ ServiceID }) => ServiceID === found?.ID);
  const wanted = tasks.filter((task) => task.DesiredState === "running" || hasFailed(task));
  const instances = await Promise.all(wanted.map((task) => observeTask(service, task, lines)));
  return { tasks, instances, service: toObservedService(service, found, tasks) };
}

const readIntendedHash = (service: SwarmService | undefined) => service?.specification.labels[specificationLabel];

function toObservedService(service: SwarmService, found: Service | undefined, tasks: Task[]): ObservedService {
  const { name, specification } = service;
  const wanted = specification.deploy.replicas ?? 1;
  if (!found) return { name, wanted };
  const { TaskTemplate, Mode } = found.Spec;
  const { State = "completed", Message = State } = found.UpdateStatus ?? {};
  const isIntended = readSpecificationHash(TaskTemplate) === readIntendedHash(service);
  const isGivenUp = !isIntended || /rollback|paused/.test(State);
  const old = tasks.filter(
    (task) => task.DesiredState === "running" && readSpecificationHash(task.Spec) !== readIntendedHash(service),
  );
  const problem = isGivenUp
    ? `the swarm did not keep it: ${Message}`
    : State !== "completed" || old.length > 0 || Mode.Replicated?.Replicas !== wanted
      ? "the swarm is replacing its tasks"
      : undefined;
  return {
    name,
    wanted,
    image: TaskTemplate.ContainerSpec.Image,
    isHopeless: isGivenUp,
    ...(problem === undefined ? {} : { problem }),
  };
}

async function observeTask(service: SwarmService, task: Task, lines: number): Promise<Instance> {
  const { State, Err, Message, ContainerStatus } = task.Status;
  const isReady = State === "running" && task.DesiredState === "running";
  const health = lines > 0 && !isReady ? await readHealthAnswer(ContainerStatus?.ContainerID) : undefined;
  return {
    id: task.ID.slice(0, 12),
    service: service.name,
    isReady,
    restarts: 0,
    isCurrent: readSpecificationHash(task.Spec) === readIntendedHash(service),
    state: isReady ? State : `${State}: ${Err ?? Message}`,
    isHopeless: hasFailed(task),
    ...(health === undefined ? {} : { health }),
    ...(lines > 0 && !isReady ? { lines: await readLog(task.ID, lines) } : {}),
  };
}

/** A task that ends by itself has failed too, whatever its exit code: a service must not end. */
const hasFailed = ({ Status, DesiredState }: Task) =>
  /^(failed|rejected|orphaned)$/.test(Status.State) || (Status.State === "complete" && DesiredState !== "remove");

const listAddresses = ({ NetworksAttachments = [], Status }: Task) =>
  Status.State === "running"
    ? NetworksAttachments.flatMap(({ Addresses = [] }) => Addresses.map((address) => address.replace(/\/.*/, "")))
    : [];

/** Only if the container is on this manager's node. */
async function readHealthAnswer(container: string | undefined): Promise<string | undefined> {
  if (!container) return undefined;
  interface Found {
    State: { Health?: { Log?: { ExitCode: number; Output: string }[] } };
  }
  const found = await inspect<Found>("container", container);
  const last = found?.State.Health?.Log?.at(-1);
  return last && (last.Output.trim().slice(-400) || `the health check ended with ${last.ExitCode}`);
}

export async function readLog(task: string, lines: number): Promise<string[]> {
  const args = ["service", "logs", "--raw", "--tail", String(lines), task];
  const { code, stdout, stderr } = await execute("docker", args, { timeoutMs: 10_000 });
  return code === 0 ? `${stdout}${stderr}`.split("\n").filter((line) => line.trim() !== "") : [];
}
