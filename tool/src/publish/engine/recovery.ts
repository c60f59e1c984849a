import { liveOf, retire, withCutOff, withLive } from "../release.ts";
import { checkHealth } from "./container.ts";
import type { Lease } from "./lease.ts";
import { ensureProxy, leaveProxy, proxyKey } from "./proxy.ts";
import { type EngineRelease, readState, switchTo, writeReleases } from "./state.ts";
import { sweep, sweepData } from "./sweep.ts";

/** Ends what a publisher that was cut off left behind, to one side or the other; gives the releases. */
export async function recover(lease: Lease, application: string): Promise<EngineRelease[]> {
  const { slot, releases } = await readState(lease, application);
  const pending = releases.find(({ status }) => status === "pending");
  if (!pending) return releases;
  const live = liveOf(releases);
  const isSwitched = live === undefined || slot === pending.slot;
  if (isSwitched && (await isWell(pending))) {
    await ensureProxy(lease, application, pending.address, pending.services[0]?.port ?? 3000);
    return settle(lease, application, releases, pending);
  }
  if (live) await switchTo(lease, application, live.slot);
  const kept = withCutOff(releases, pending);
  await sweep(application, kept);
  await sweepData(application, pending, kept);
  if (!live || proxyKey(live.address) !== proxyKey(pending.address))
    await leaveProxy(lease, application, pending.address);
  await writeReleases(lease, application, kept);
  return kept;
}

async function isWell({ services }: EngineRelease): Promise<boolean> {
  const checks = await Promise.all(services.map(({ container }) => checkHealth(container)));
  return checks.every(({ isHealthy }) => isHealthy);
}

/** Marks a release live and takes away what it replaced; gives the releases. */
export async function settle(
  lease: Lease,
  application: string,
  releases: EngineRelease[],
  release: EngineRelease,
): Promise<EngineRelease[]> {
  const old = liveOf(releases);
  const settled = withLive(releases, release);
  await writeReleases(lease, application, settled);
  const kept = retire(settled);
  await sweep(application, kept);
  if (old && proxyKey(old.address) !== proxyKey(release.address)) await leaveProxy(lease, application, old.address);
  await writeReleases(lease, application, kept);
  return kept;
}
