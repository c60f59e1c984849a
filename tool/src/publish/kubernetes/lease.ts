import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ILease } from "kubernetes-models/coordination.k8s.io/v1";
import { Fault, nothingChanged } from "../../fault.ts";
import { holderName } from "../holder.ts";
import type { Lock, Options } from "../target.ts";
import { kubectl } from "./kubectl.ts";
import { labelsOf, leaseName } from "./names.ts";

const secondsToLive = 30;

/** The right to change an application in a cluster; it ends by itself if its holder sends no sign of life. */
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
        `${holder} is publishing ${application}. Wait for it with --wait; a lease without a sign of life ends after ${secondsToLive} seconds.`,
      );
    if (interrupted.aborted) throw nothingChanged();
    await sleep(2000, undefined, { signal: interrupted }).catch(() => {});
  }
}

/** Tries once. Returns who holds it, if another does. */
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
  // The version that was seen goes along: of two that take over at once, the cluster lets one.
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

/** How a cluster says that the lease is another's, or gone: it does not repeat which part of a patch did not fit. */
const lost = /test operation|testing value|rejected our request|not found/i;

function held(application: string, me: string): Lock {
  let [isLost, lastSign] = [false, Date.now()];
  const sign = async () => {
    const at = Date.now();
    await patch(application, me, "renewTime", now()).then(
      () => (lastSign = at),
      // A cluster that is away for a moment takes nothing from anybody; another holder does.
      (error: Error) => (isLost ||= lost.test(error.message)),
    );
  };
  const signs = setInterval(sign, (secondsToLive * 1000) / 3);
  signs.unref();
  return {
    check: async () => {
      await sign();
      if (isLost || Date.now() - lastSign > secondsToLive * 1000)
        throw new Fault("lease_lost", `Another publisher may have taken over ${application}. See dory releases.`);
    },
    release: async () => {
      clearInterval(signs);
      await patch(application, me, "holderIdentity", "").catch(() => undefined);
    },
  };
}

/** Changes the lease as long as it is held. */
async function patch(application: string, me: string, field: string, value: string): Promise<void> {
  const operations = [
    { op: "test", path: "/spec/holderIdentity", value: me },
    { op: "replace", path: `/spec/${field}`, value },
  ];
  await kubectl.run(["patch", "lease", leaseName(application), "--type=json", "-p", JSON.stringify(operations)]);
}

/** The cluster wants exactly six digits after the second. */
const now = () => new Date().toISOString().replace("Z", "000Z");
