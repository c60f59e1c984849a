import type { Release, ReleasedService } from "../release.ts";
import { docker, dockerOrNothing, tryAgain } from "./docker.ts";
import { type Lease, sealed, whole } from "./lease.ts";
import { helperImage, stateVolume } from "./names.ts";

/** The two places that an application's public service can be in; one of them is served. */
export type Slot = "blue" | "green";

/** Where the outside reaches an application. */
export interface Address {
  /** On loopback, or on all of the engine's interfaces. */
  isPublic: boolean;
  port: number;
  domain?: string;
}

/** A release as an engine keeps it: where it is reached, and which containers are its own. */
export interface EngineRelease extends Release {
  address: Address;
  slot: Slot;
  services: (ReleasedService & { container: string })[];
}

/** What is kept on an engine about an application: its releases, oldest first, and the slot that is served. */
export interface State<R extends Release = EngineRelease> {
  releases: R[];
  slot: Slot;
}

const folder = (application: string) => `/dory/applications/${application}`;

/** Reads it without the lease, to look at it. */
export async function lookAtState<R extends Release = EngineRelease>(application: string): Promise<State<R>> {
  if ((await dockerOrNothing(["volume", "inspect", stateVolume])) === undefined) return { releases: [], slot: "blue" };
  // What an engine forgets ends by itself.
  const script = ["timeout", "30", "sh", "-ec", sealed(read), "sh", folder(application)];
  const args = ["run", "--rm", "--network", "none", "-v", `${stateVolume}:/dory:ro`, helperImage, ...script];
  return parsed(whole(await tryAgain(() => docker(args, { timeoutMs: 20_000 }))));
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

/** It is written beside and moved into place: it is the old one or the new one. */
export async function writeReleases(lease: Lease, application: string, releases: Release[]): Promise<void> {
  const script =
    'mkdir -p "$1"; cat > "$1/releases.tmp"; sync "$1/releases.tmp" 2>/dev/null || sync; mv "$1/releases.tmp" "$1/releases.json"';
  await lease.run(script, [folder(application)], JSON.stringify(releases, null, 2));
}

/** Moves the traffic. The proxy looks for the file at every request, so this is the moment of the switch. */
export async function switchTo(lease: Lease, application: string, slot: Slot): Promise<void> {
  const script = slot === "green" ? 'mkdir -p "$1"; : > "$1/green"' : 'rm -f "$1/green"';
  await lease.run(script, [folder(application)]);
}

/** All that is known about an application. */
export async function forget(lease: Lease, application: string): Promise<void> {
  await lease.run('rm -rf "$1"', [folder(application)]);
}

export const otherSlot = (slot: Slot): Slot => (slot === "blue" ? "green" : "blue");
