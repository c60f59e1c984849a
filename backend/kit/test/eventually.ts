import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a condition holds; the error names `what` it waited for. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 40_000,
): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await isSo()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms for ${what}, which did not happen`);
}
