import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ILease } from "kubernetes-models/coordination.k8s.io/v1";
import { Fault } from "../../fault.ts";
import { holderName } from "../engine/lease.ts";
import { kubectl } from "./kubectl.ts";
import { labelsOf, leaseName } from "./names.ts";

/** The right to change an application in a cluster; it ends by itself if its holder gives no sign of life. */
export interface Lease {
  /** Stops whoever lost it. */
  check(): void;
  release(): Promise<void>;
}

const secondsToLive = 30;

export async function takeLease(application: string, { isWaiting }: { isWaiting: boolean }): Promise<Lease> {
  const me = `${holderName()} ${randomBytes(4).toString("hex")}`;
  for (;;) {
    const holder = await tryToTake(application, me);
    if (holder === undefined) return held(application, me);
    if (!isWaiting)
      throw new Fault(
        "lease_held",
        `${holder} is publishing ${application}. Wait for it with --wait; a lease without a sign of life ends after ${secondsToLive} seconds.`,
      );
    await sleep(2000);
  }
}

/** Tries once; gives who holds it, if another does. */
async function tryToTake(application: string, me: string): Promise<string | undefined> {
  try {
    await kubectl.run(["create", "-f", "-"], { input: JSON.stringify(leaseFor(application, me)) });
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault && /AlreadyExists/.test(error.message))) throw error;
  }
  const found = await kubectl.json<ILease>(["get", "lease", leaseName(application), "-o", "json"]);
  const { holderIdentity: holder, renewTime } = found?.spec ?? {};
  if (holder && Date.now() - Date.parse(String(renewTime ?? 0)) < secondsToLive * 1000) return holder;
  // The version that was seen goes along: of two that take over at once, the cluster lets one.
  const mine = leaseFor(application, me, found?.metadata?.resourceVersion);
  return kubectl.run(["replace", "-f", "-"], { input: JSON.stringify(mine) }).then(
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

function held(application: string, me: string): Lease {
  let isLost = false;
  const sign = () =>
    patch(application, me, "renewTime", now()).catch((error: Error) => {
      // A cluster that is away for a moment takes nothing from anybody; another holder does.
      if (/test operation|testing value|not found/i.test(error.message)) isLost = true;
    });
  const signs = setInterval(sign, (secondsToLive * 1000) / 3);
  signs.unref();
  return {
    check: () => {
      if (isLost) throw new Fault("lease_lost", `Another publisher took over ${application}. See dory releases.`);
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
