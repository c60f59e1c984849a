import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something is so; `what` it waited for is told if that never comes. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 20_000,
): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await isSo()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
}
