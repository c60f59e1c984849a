import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { serviceName, specificationLabel } from "./names.ts";
import type { SwarmService } from "./records.ts";
import { deploy, findService, specificationOf, type Task, tasksOf, whyNot } from "./service.ts";

/** A service on its way to a specification. */
export interface Rolling {
  name: string;
  intended: string;
  replicas: number;
  /** The tasks that were there before; what became of them says nothing about the new ones. */
  known: Set<string>;
  /** Whether a new task has run, and so may have answered somebody. */
  hasRun: boolean;
  /** Whether tasks may fail for a while: what they need is new too, and may not be ready. The swarm tries again. */
  isPatient: boolean;
}

/** Tells the swarm to bring a service to its specification, unless it is there; it goes on by itself. */
export async function roll(application: string, service: SwarmService, before: Rolling[] = []): Promise<Rolling> {
  const name = serviceName(application, service.name);
  const known = new Set((await tasksOf(name)).map(({ ID }) => ID));
  if (!(await isRolled(application, service))) await deploy(application, { [service.name]: service.specification });
  const { labels, deploy: setting } = service.specification;
  const isPatient = [{ known }, ...before].filter((one) => one.known.size === 0).length > 1;
  const replicas = setting.replicas ?? 1;
  return { name, intended: labels[specificationLabel] ?? "", replicas, known, hasRun: false, isPatient };
}

/** Whether a service runs by its specification, all of it, and the swarm is not changing anything. */
export async function isRolled(application: string, { name, specification }: SwarmService): Promise<boolean> {
  const intended = specification.labels[specificationLabel];
  const full = serviceName(application, name);
  const service = await findService(full);
  const state = service?.UpdateStatus?.State ?? "completed";
  if (!service || state !== "completed" || specificationOf(service.Spec.TaskTemplate) !== intended) return false;
  if (service.Spec.Mode.Replicated?.Replicas !== specification.deploy.replicas) return false;
  const wanted = (await tasksOf(full)).filter(({ DesiredState }) => DesiredState === "running");
  const running = wanted.filter(({ Spec, Status }) => specificationOf(Spec) === intended && Status.State === "running");
  return running.length === wanted.length && running.length === specification.deploy.replicas;
}

/** Waits until only tasks of the specification run, all that were asked for. The deadline is for each of them. */
export async function untilRolled(
  rolling: Rolling,
  deadlineMs: number,
  update: (text: string) => void,
  stopIfInterrupted: () => void,
): Promise<void> {
  let [deadline, ready] = [Date.now() + deadlineMs, 0];
  for (; ; await sleep(300)) {
    const tasks = await checkTasks(rolling);
    const wanted = tasks.filter(({ DesiredState }) => DesiredState === "running");
    const running = wanted.filter((task) => isNew(rolling, task) && task.Status.State === "running");
    rolling.hasRun ||= running.some(({ ID }) => !rolling.known.has(ID));
    if (running.length === rolling.replicas && wanted.length === running.length) return forgive(rolling, tasks);
    update(`${rolling.name}: ${running.length} of ${rolling.replicas}`);
    if (!rolling.hasRun) stopIfInterrupted();
    if (running.length > ready) [deadline, ready] = [Date.now() + deadlineMs, running.length];
    if (Date.now() < deadline) continue;
    const late =
      tasks.find((task) => isFailure(rolling, task)) ??
      wanted.find((task) => isNew(rolling, task) && task.Status.State !== "running");
    throw new Fault("unhealthy", await whyNot(rolling.name, late));
  }
}

/** Looks once whether all is still well; the swarm itself may be going back already. Gives the tasks. */
export async function checkTasks(rolling: Rolling): Promise<Task[]> {
  const service = await findService(rolling.name);
  // After the service: if the swarm is going back because of a task, that task is among these.
  const tasks = await tasksOf(rolling.name);
  const failed = tasks.find((task) => isFailure(rolling, task));
  if (failed && !rolling.isPatient) throw new Fault("unhealthy", await whyNot(rolling.name, failed));
  const isIntended = service !== undefined && specificationOf(service.Spec.TaskTemplate) === rolling.intended;
  const { State = "gone", Message = State } = service?.UpdateStatus ?? {};
  if (!isIntended || /rollback|paused/.test(State))
    throw new Fault("unhealthy", `The swarm did not keep ${rolling.name}: ${Message}.`);
  return tasks;
}

/** Whether the swarm itself is done with watching. */
export async function isSettled({ name }: Rolling): Promise<boolean> {
  const state = (await findService(name))?.UpdateStatus?.State;
  return state === undefined || state === "completed";
}

/** What failed while others were not ready is no fault; from now on it would be. */
function forgive(rolling: Rolling, tasks: Task[]): void {
  for (const task of tasks) if (isFailure(rolling, task)) rolling.known.add(task.ID);
  rolling.isPatient = false;
}

const isFailure = (rolling: Rolling, task: Task) =>
  isNew(rolling, task) && !rolling.known.has(task.ID) && hasFailed(task);
const isNew = ({ intended }: Rolling, { Spec }: Task) => specificationOf(Spec) === intended;
/** One that ends by itself has failed too, whatever its exit code: a service is not to end. */
const hasFailed = ({ Status, DesiredState }: Task) =>
  /^(failed|rejected|orphaned)$/.test(Status.State) || (Status.State === "complete" && DesiredState !== "remove");
