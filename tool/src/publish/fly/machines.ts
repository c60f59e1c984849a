import type { Instance } from "../snapshot.ts";
import { type FlyRelease, recordVariable } from "./config.ts";
import { flyctl, listMachines } from "./flyctl.ts";

export interface Machine {
  id: string;
  state: string;
  region: string;
  image_ref?: { digest?: string };
  config?: { image?: string; env?: Record<string, string> };
  checks?: { name: string; status: string; output?: string }[];
  events?: { type: string; request?: { exit_event?: { requested_stop?: boolean } } }[];
}

export async function machinesOf(app: string): Promise<Machine[]> {
  const all = (await flyctl.json<Machine[]>(listMachines(app))) ?? [];
  return all.filter(({ state }) => state !== "destroyed" && state !== "destroying");
}

/**
 * What was released, oldest first: each machine carries it, and the one that was started last knows most. Machines of two releases
 * are what a publisher left that was cut off: the older ones still serve.
 */
export function recordOf(machines: Machine[]): FlyRelease[] {
  const records = machines.map(carried).filter((record) => record.length > 0);
  const [newest = [], ...others] = records.sort((a, b) => numberOf(b) - numberOf(a));
  const [id, before] = [
    newest.at(-1)?.id,
    others.map((record) => record.at(-1)?.id).find((one) => one !== newest.at(-1)?.id),
  ];
  if (before === undefined) return newest;
  return newest.map((one): FlyRelease => {
    if (one.id === id) return { ...one, status: "pending" };
    return one.id === before ? { ...one, status: "live" } : one;
  });
}

const carried = ({ config }: Machine): FlyRelease[] => JSON.parse(config?.env?.[recordVariable] ?? "[]");
const numberOf = (record: FlyRelease[]) => Number(record.at(-1)?.id.slice(1) ?? 0);

/** Whether a machine was started for a release, and runs its image. */
export function isOf(machine: Machine, { id, services: [service] }: FlyRelease): boolean {
  const { image_ref, config } = machine;
  const digest = service?.image.slice(service.image.indexOf("@") + 1) ?? "";
  const runs = image_ref?.digest === digest || config?.image?.endsWith(digest) === true;
  return runs && carried(machine).at(-1)?.id === id;
}

export function instanceOf(service: string, machine: Machine, release: FlyRelease): Instance {
  const { id, state, region, checks = [], events = [] } = machine;
  const bad = checks.find(({ status }) => status !== "passing");
  const health = checks.length === 0 ? "it has not been checked" : bad && `${bad.status}: ${bad.output ?? ""}`;
  const crashes = events.filter(({ type, request }) => type === "exit" && request?.exit_event?.requested_stop !== true);
  return {
    ...{ id, service, isCurrent: isOf(machine, release), restarts: crashes.length },
    isReady: state === "started" && health === undefined,
    state: `${state} in ${region}`,
    ...(health === undefined ? {} : { health }),
  };
}
