import { setTimeout as sleep } from "node:timers/promises";

/** How long migrations may take: a large table may need an hour. */
export const migrationMs = 3_600_000;

/** How a run of an image ended. */
export interface RunResult {
  isDone: boolean;
  /** The end of its log. */
  lines: string[];
  /** Why it failed, if the platform knows. */
  reason?: string;
}

export const lateReason = `it did not end within ${migrationMs / 60_000} minutes`;

/** A run at a platform without a lease: perhaps that of another publisher, which may be gone. */
export interface FoundRun {
  name: string;
  isUnderWay: boolean;
  /** Whether its publisher is gone: it would have removed it by now. */
  isLeft: boolean;
}

const removalMs = 300_000;

/** Whether a run that ended at this time is still there because its publisher is gone. */
export const isLeftSince = (time: string | number | undefined) =>
  Date.now() - new Date(time ?? 0).getTime() > removalMs;

type Remove = (name: string) => Promise<unknown>;

/** Removes what publishers that were cut off have left. */
export async function removeLeftRuns(runs: FoundRun[], remove: Remove): Promise<void> {
  for (const { name, isLeft } of runs) if (isLeft) await remove(name);
}

/**
 * The same, and waits for a run that is under way: it changes tables, and nobody knows whether its publisher still waits
 * for it, too.
 */
export async function endOtherRuns(
  list: () => Promise<FoundRun[]>,
  remove: Remove,
  { paceMs, update }: { paceMs: number; update: (text: string) => void },
): Promise<void> {
  for (;;) {
    const found = await list();
    await removeLeftRuns(found, remove);
    const other = found.find(({ isUnderWay }) => isUnderWay);
    if (!other) return;
    update(`waiting for ${other.name}, in which another publisher applies migrations`);
    await sleep(paceMs);
  }
}
