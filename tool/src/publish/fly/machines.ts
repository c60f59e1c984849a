import type { Instance } from "../snapshot.ts";
import { type FlyRelease, historyVariable } from "./config.ts";
import { flyctl, listMachines } from "./flyctl.ts";

export interface Machine {
  id: string;
  name?: string;
  state: string;
  region: string;
  created_at?: string;
  image_ref?: { digest?: string };
  config?: { image?: string; env?: Record<string, string>; metadata?: Record<string, string> };
  checks?: { name: string; status: string; output?: string }[];
  /** The newest first. */
  events?: MachineEvent[];
}

export interface MachineEvent {
  type: string;
  /** In milliseconds. */
  timestamp?: number;
  request?: { exit_event?: ExitEvent; MonitorEvent?: { exit_event?: ExitEvent } };
}

interface ExitEvent {
  exit_code?: number;
  oom_killed?: boolean;
  requested_stop?: boolean;
}

/** The machines that serve, or are to serve. */
export async function readMachines(app: string): Promise<Machine[]> {
  return (await readAllMachines(app)).filter((machine) => !isRun(machine));
}

/** With those that apply migrations. */
export async function readAllMachines(app: string): Promise<Machine[]> {
  const all = (await flyctl.readJson<Machine[]>(listMachines(app))) ?? [];
  return all.filter(({ state }) => state !== "destroyed" && state !== "destroying");
}

/** The mark of a machine that applies migrations. */
export const runMetadata = { name: "dory", value: "migrate" };

export const isRun = ({ config }: Machine) => config?.metadata?.[runMetadata.name] === runMetadata.value;

/**
 * The releases, oldest first. Each machine stores them, the newest machine all of them. Machines of two releases mean
 * that a publisher was cut off: the older ones still serve.
 */
export function readHistory(machines: Machine[]): FlyRelease[] {
  const histories = machines.map(readMachineHistory).filter((history) => history.length > 0);
  const [newest = [], ...others] = histories.sort((a, b) => readNumber(b) - readNumber(a));
  const [id, before] = [
    newest.at(-1)?.id,
    others.map((history) => history.at(-1)?.id).find((one) => one !== newest.at(-1)?.id),
  ];
  if (before === undefined) return newest;
  return newest.map((one): FlyRelease => {
    if (one.id === id) return { ...one, status: "pending" };
    return one.id === before ? { ...one, status: "live" } : one;
  });
}

const readMachineHistory = ({ config }: Machine): FlyRelease[] => JSON.parse(config?.env?.[historyVariable] ?? "[]");
const readNumber = (history: FlyRelease[]) => Number(history.at(-1)?.id.slice(1) ?? 0);

/** Whether a machine was started for a release, and runs its image. */
export function runsRelease(machine: Machine, { id, services: [service] }: FlyRelease): boolean {
  const { image_ref, config } = machine;
  const digest = service?.image.slice(service.image.indexOf("@") + 1) ?? "";
  const runs = image_ref?.digest === digest || config?.image?.endsWith(digest) === true;
  return runs && readMachineHistory(machine).at(-1)?.id === id;
}

export function toInstance(service: string, machine: Machine, release: FlyRelease): Instance {
  const { id, state, region, checks = [], events = [] } = machine;
  const bad = checks.find(({ status }) => status !== "passing");
  const health = checks.length === 0 ? "it has not been checked" : bad && `${bad.status}: ${bad.output ?? ""}`;
  const crashes = events.filter(({ type, request }) => type === "exit" && request?.exit_event?.requested_stop !== true);
  return {
    id,
    service,
    isCurrent: runsRelease(machine, release),
    restarts: crashes.length,
    isReady: state === "started" && health === undefined,
    state: `${state} in ${region}`,
    ...(health === undefined ? {} : { health }),
  };
}
