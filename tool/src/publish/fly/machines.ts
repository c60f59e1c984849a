import { type FlyRelease, recordVariable } from "./config.ts";
import { flyctl, listMachines } from "./flyctl.ts";

export interface Machine {
  id: string;
  state: string;
  region: string;
  image_ref?: { digest?: string };
  config?: { image?: string; env?: Record<string, string> };
  checks?: { name: string; status: string; output?: string }[];
}

export async function machinesOf(app: string): Promise<Machine[]> {
  const all = (await flyctl.json<Machine[]>(listMachines(app))) ?? [];
  return all.filter(({ state }) => state !== "destroyed" && state !== "destroying");
}

/** What was released, oldest first: each machine carries it, and the one that was started last knows most. */
export function recordOf(machines: Machine[]): FlyRelease[] {
  const records = machines.flatMap(({ config }) => {
    const text = config?.env?.[recordVariable];
    return text === undefined ? [] : [JSON.parse(text) as FlyRelease[]];
  });
  const last = (record: FlyRelease[]) => Number(record.at(-1)?.id.slice(1) ?? 0);
  return records.sort((a, b) => last(a) - last(b)).at(-1) ?? [];
}

/** Why an image does not serve, by what Fly tells of its machines; nothing if all of them serve it. */
export function whyNotServing(machines: Machine[], image: string): string | undefined {
  if (machines.length === 0) return "no machine runs";
  const reasons = machines.map((machine) => {
    const { id, state, config, image_ref, checks = [] } = machine;
    const digest = image.slice(image.indexOf("@") + 1);
    if (image_ref?.digest !== digest && !config?.image?.endsWith(digest))
      return `machine ${id} runs ${config?.image ?? image_ref?.digest}`;
    if (state !== "started") return `machine ${id} is ${state}`;
    const bad = checks.find(({ status }) => status !== "passing");
    if (checks.length === 0) return `machine ${id} has not been checked`;
    return bad ? `the health check of machine ${id} is ${bad.status}: ${bad.output ?? ""}`.trim() : undefined;
  });
  return reasons.find((reason) => reason !== undefined);
}
