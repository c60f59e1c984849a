import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { Fault } from "../fault.ts";

/** The name of the publisher that others see. */
export const holderName = () => `${userInfo().username}@${hostname()}`;

/** A lease without a heartbeat ends after this time. */
export const leaseSeconds = 30;

/** Another publisher is at work. */
export const leaseHeldFault = (application: string, holder: string) =>
  new Fault(
    "lease_held",
    `${holder} is publishing ${application}. Wait for it with --wait; a lease without a heartbeat ends after ${leaseSeconds} seconds.`,
  );

/** What is shown while a publisher waits for another one. */
export const describeWait = (holder: string) => `waiting for ${holder}, who is publishing`;

/** Where the id of a process means the same process: containers on one machine may have the same name and ids. */
export function findProcessSpace(): string {
  const parts = [
    () => hostname(),
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  const hash = createHash("sha256");
  for (const read of parts) hash.update(readIfPossible(read));
  return hash.digest("hex").slice(0, 16);
}

/** Only Linux has these files. */
function readIfPossible(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
