import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ILease } from "kubernetes-models/coordination.k8s.io/v1";
import { Fault, nothingChanged } from "../../fault.ts";
import { holderName } from "../holder.ts";
import type { Lock, Options } from "../target.ts";
import { kubectl } from "./kubectl.ts";
import { labelsOf, leaseName } from "./names.ts";

const secondsToLive = 30;

/** The right to change an application in a cluster; it expires if its holder sends no heartbeat. */
export async function takeLease(application: string, { isWaiting, interrupted }: Options): Promise<Lock> {
  const me = `${holderName()} ${randomBytes(4).toString("hex")}`;
  for (;;) {
    const holder = await tryToTake(application, me, interrupted).catch((error) => {
      throw interrupted.aborted ? nothingChanged() : error;
    });
    if (holder === undefined) return held(application, me);
    if (!isWaiting)
      throw new Fault(
        "lease_held",
        `${holder} is publishing ${application}. Wait for it with --wait; a lease without a heartbeat ends after ${secondsToLive} seconds.`,
      );
    if (interrupted.aborted) throw nothingChanged();
    await sleep(2000, undefined, { signal: interrupted }).catch(() => {});
  }
}

/** Tries once. Returns the holder, if it is another publisher. */
async function tryToTake(application: string, me: string, interrupted: AbortSignal): Promise<string | undefined> {
  try {
    await kubectl.run(["create", "-f", "-"], { input: JSON.stringify(leaseFor(application, me)), interrupted });
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault && /AlreadyExists/.test(error.message))) throw error;
  }
  const found = await kubectl.json<ILease>(["get", "lease", leaseName(application), "-o", "json"], { interrupted });
  const { holderIdentity: holder, renewTime } = found?.spec ?? {};
  if (holder && Date.now() - Date.parse(String(renewTime ?? 0)) < secondsToLive * 1000) return holder;
  // With resourceVersion the cluster accepts only one of two that take over at the same time.
  const mine = leaseFor(application, me, found?.metadata?.resourceVersion);
  return kubectl.run(["replace", "-f", "-"], { input: JSON.stringify(mine), interrupted }).then(
    () => undefined,
    (error) => {
      if (error instanceof Fault && /Conflict|modified/.test(error.message)) return "Another publisher";
      throw error;
    },
  );
}

export function leaseFor(application: string, holder: string, resourceVersion?: string): ILease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: leaseName(application),
      labels: labelsOf(application),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: secondsToLive, acquireTime: now(), renewTime: now() },
  };
}

/** Errors that mean the lease has another holder or is gone; they do not name the failed part of a patch. */
const lost = /test operation|testing value|rejected our request|not found/i;

function held(application: string, me: string): Lock {
  let [isLost, lastHeartbeat] = [false, Date.now()];
  const beat = async () => {
    const at = Date.now();
    await patch(application, me, "renewTime", now()).then(
      () => (lastHeartbeat = at),
      // The lease is lost only to another holder, not to a cluster that does not answer for a moment.
      (error: Error) => (isLost ||= lost.test(error.message)),
    );
  };
  const timer = setInterval(beat, (secondsToLive * 1000) / 3);
  timer.unref();
  return {
    check: async () => {
      await beat();
      if (isLost || Date.now() - lastHeartbeat > secondsToLive * 1000)
        throw new Fault("lease_lost", `Another publisher may have taken over ${application}. See dory releases.`);
    },
    release: async () => {
      clearInterval(timer);
      await patch(application, me, "holderIdentity", "").catch(() => undefined);
    },
  };
}

/** Changes the lease, if it is still held. */
async function patch(application: string, me: string, field: string, value: string): Promise<void> {
  const operations = [
    { op: "test", path: "/spec/holderIdentity", value: me },
    { op: "replace", path: `/spec/${field}`, value },
  ];
  await kubectl.run(["patch", "lease", leaseName(application), "--type=json", "-p", JSON.stringify(operations)]);
}

/** The cluster needs exactly six decimals of a second. */
const now = () => new Date().toISOString().replace("Z", "000Z");
