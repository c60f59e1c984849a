import { Fault } from "../../fault.ts";
import type { Lease } from "../engine/lease.ts";
import { retire, withCutOff, withLive } from "../release.ts";
import { removeOthers } from "./goingback.ts";
import { keepReleases, readReleases, type SwarmRelease } from "./records.ts";
import { isRolled } from "./rolling.ts";
import { servicesOf } from "./service.ts";
import { sweep } from "./sweep.ts";

/**
 * Decides what became of a release whose publisher was cut off; gives the releases. What the swarm runs of one that failed is
 * replaced by the release that comes now, or by the live one if that fails too.
 */
export async function recover(lease: Lease, application: string): Promise<SwarmRelease[]> {
  const releases = await readReleases(lease, application);
  if (releases.length === 0) await refuseAnothers(application);
  const pending = releases.find(({ status }) => status === "pending");
  if (!pending) return releases;
  const isWell = await Promise.all(pending.services.map((service) => isRolled(application, service)));
  if (isWell.every(Boolean)) return settle(lease, application, releases, pending);
  const kept = withCutOff(releases, pending);
  await keepReleases(lease, application, kept);
  return kept;
}

/** Records are kept on the manager that published; another one does not know what to go back to. */
async function refuseAnothers(application: string): Promise<void> {
  if ((await servicesOf(application)).length > 0)
    throw new Fault(
      "records_elsewhere",
      `${application} runs in this swarm, but was published through another manager, which keeps its records. Set DOCKER_HOST to that one's.`,
    );
}

/** Marks a release live and takes away what it replaced; gives the releases. */
export async function settle(
  lease: Lease,
  application: string,
  releases: SwarmRelease[],
  release: SwarmRelease,
): Promise<SwarmRelease[]> {
  const settled = withLive(releases, release);
  await keepReleases(lease, application, settled);
  await removeOthers(application, release);
  const kept = retire(settled);
  await sweep(application, kept);
  await keepReleases(lease, application, kept);
  return kept;
}
