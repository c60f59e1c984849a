import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ILease } from "kubernetes-models/coordination.k8s.io/v1";
import { Fault, nothingChanged } from "../../fault.ts";
import { describeWait, holderName, leaseHeldFault, leaseSeconds } from "../holder.ts";
import type { Lock, Options } from "../target.ts";
import { kubectl } from "./kubectl.ts";
import { leaseName, toLabels } from "./names.ts";

/** How long to wait between two looks, and how long a lease must stay unchanged to be without a holder. */
export interface Pace {
  lookMs: number;
  unchangedMs: number;
}

/** Longer than the interval of heartbeats. */
const patient: Pace = { lookMs: 2000, unchangedMs: 15_000 };

/** The right to change an application in a cluster; it expires if its holder sends no heartbeat. */
export async function takeLease(
  application: string,
  { isWaiting, interrupted }: Options,
  update: (text: string) => void,
  { lookMs, unchangedMs }: Pace = patient,
): Promise<Lock> {
  const me = `${holderName()} ${randomBytes(4).toString("hex")}`;
  let seen = { renewed: "", since: 0, isBeating: false };
  for (;;) {
    const found = await createOrRead(application, me, interrupted).catch((error) => {
      throw interrupted.aborted ? nothingChanged() : error;
    });
    const { holderIdentity: holder, renewTime } = found?.spec ?? {};
    // It is also held if the cluster took it over and its answer was lost.
    if (!found || holder === me) return holdLease(application, me);
    const renewed = String(renewTime ?? "");
    // The clocks of publishers differ, so a lease that seems old must also stay unchanged for a while, by this one's own time.
    if (renewed !== seen.renewed) seen = { renewed, since: performance.now(), isBeating: seen.renewed !== "" };
    const isFree = !holder || (!isRecent(renewed) && performance.now() - seen.since > unchangedMs);
    if (isFree && (await takeOver(application, me, found, interrupted))) return holdLease(application, me);
    if (holder && !isWaiting && (isRecent(renewed) || seen.isBeating)) throw leaseHeldFault(application, holder);
    if (holder) update(describeWait(holder));
    if (interrupted.aborted) throw nothingChanged();
    await sleep(lookMs, undefined, { signal: interrupted }).catch(() => {});
  }
}

/** The holder, as far as the clocks of publishers agree. */
export async function findHolder(application: string): Promise<string | undefined> {
  const { holderIdentity: holder, renewTime } = (await readLease(application))?.spec ?? {};
  return holder && isRecent(String(renewTime ?? "")) ? holder : undefined;
}

const isRecent = (renewed: string) => Math.abs(Date.now() - Date.parse(renewed)) < leaseSeconds * 1000;

/** Undefined if the lease is created; otherwise the one that exists. */
async function createOrRead(application: string, me: string, interrupted: AbortSignal): Promise<ILease | undefined> {
  try {
    await kubectl.run(["create", "-f", "-"], { input: JSON.stringify(leaseManifest(application, me)), interrupted });
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault && /AlreadyExists/.test(error.message))) throw error;
  }
  return (await readLease(application, interrupted)) ?? createOrRead(application, me, interrupted);
}

function readLease(application: string, interrupted?: AbortSignal): Promise<ILease | undefined> {
  const get = ["get", "lease", leaseName(application), "-o", "json", "--ignore-not-found"];
  return kubectl.readJson<ILease>(get, interrupted ? { interrupted } : {});
}

/** With resourceVersion the cluster accepts only one of two that take over at the same time. */
async function takeOver(application: string, me: string, found: ILease, interrupted: AbortSignal): Promise<boolean> {
  const mine = leaseManifest(application, me, found.metadata?.resourceVersion);
  return kubectl.run(["replace", "-f", "-"], { input: JSON.stringify(mine), interrupted }).then(
    () => true,
    (error) => {
      if (error instanceof Fault && /Conflict|modified|NotFound/.test(error.message)) return false;
      throw error;
    },
  );
}

export function leaseManifest(application: string, holder: string, resourceVersion?: string): ILease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: leaseName(application),
      labels: toLabels(application),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: formatNow(),
      renewTime: formatNow(),
    },
  };
}

/** Errors that mean the lease has another holder or is gone; they do not name the failed part of a patch. */
const lost = /test operation|testing value|rejected our request|not found/i;

function holdLease(application: string, me: string): Lock {
  let [isLost, lastHeartbeat] = [false, performance.now()];
  const beat = async () => {
    const at = performance.now();
    await patch(application, me, "renewTime", formatNow()).then(
      () => (lastHeartbeat = at),
      // The lease is lost only to another holder, not to a cluster that does not answer for a moment.
      (error: Error) => (isLost ||= lost.test(error.message)),
    );
    if (isLost) clearInterval(timer);
  };
  const timer = setInterval(beat, (leaseSeconds * 1000) / 3);
  timer.unref();
  return {
    check: async () => {
      await beat();
      if (isLost || performance.now() - lastHeartbeat > leaseSeconds * 1000)
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
const formatNow = () => new Date().toISOString().replace("Z", "000Z");
