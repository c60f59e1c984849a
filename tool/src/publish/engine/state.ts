import type { Release, ReleasedService } from "../release.ts";
import { docker, dockerOrNothing, retry } from "./docker.ts";
import { type Lease, sealed, whole } from "./lease.ts";
import { helperImage, stateVolume } from "./names.ts";

/** The public service of an application runs in one of two slots; the proxy serves one of them. */
export type Slot = "blue" | "green";

/** The address of an application. */
export interface Address {
  /** On loopback, or on all of the engine's interfaces. */
  isPublic: boolean;
  port: number;
  domain?: string;
}

/** A release on an engine, with its address and containers. */
export interface EngineRelease extends Release {
  address: Address;
  slot: Slot;
  services: (ReleasedService & { container: string })[];
}

/** The state of an application on an engine: its releases, oldest first, and the slot that is served. */
export interface State<R extends Release = EngineRelease> {
  releases: R[];
  slot: Slot;
}

const folder = (application: string) => `/dory/applications/${application}`;

/** Reads the state without the lease. */
export async function readStateWithoutLease<R extends Release = EngineRelease>(application: string): Promise<State<R>> {
  if ((await dockerOrNothing(["volume", "inspect", stateVolume])) === undefined) return { releases: [], slot: "blue" };
  // If the engine loses the container, it still ends by itself.
  const script = ["timeout", "30", "sh", "-ec", sealed(read), "sh", folder(application)];
  const args = ["run", "--rm", "--network", "none", "-v", `${stateVolume}:/dory:ro`, helperImage, ...script];
  return parsed(whole(await retry(() => docker(args, { timeoutMs: 20_000 }))));
}

export async function readState<R extends Release = EngineRelease>(
  lease: Lease,
  application: string,
): Promise<State<R>> {
  return parsed(await lease.run(read, [folder(application)]));
}

const read = 'cat "$1/releases.json" 2>/dev/null || echo []; if [ -e "$1/green" ]; then echo; echo green; fi';

function parsed<R extends Release>(text: string): State<R> {
  const releases = JSON.parse(text.replace(/\ngreen$/, ""));
  return { releases, slot: text.endsWith("\ngreen") ? "green" : "blue" };
}

/** Atomic: written to a temporary file, then renamed. */
export async function writeReleases(lease: Lease, application: string, releases: Release[]): Promise<void> {
  const script =
    'mkdir -p "$1"; cat > "$1/releases.tmp"; sync "$1/releases.tmp" 2>/dev/null || sync; mv "$1/releases.tmp" "$1/releases.json"';
  await lease.run(script, [folder(application)], JSON.stringify(releases, null, 2));
}

/** Moves the traffic at once: the proxy checks for the file at every request. */
export async function switchTo(lease: Lease, application: string, slot: Slot): Promise<void> {
  const script = slot === "green" ? 'mkdir -p "$1"; : > "$1/green"' : 'rm -f "$1/green"';
  await lease.run(script, [folder(application)]);
}

export async function removeState(lease: Lease, application: string): Promise<void> {
  await lease.run('rm -rf "$1"', [folder(application)]);
}

export const otherSlot = (slot: Slot): Slot => (slot === "blue" ? "green" : "blue");
