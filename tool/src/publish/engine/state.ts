import type { Release, ReleasedService } from "../release.ts";
import { docker, dockerOrNothing, retry } from "./docker.ts";
import { type Lease, readSealed, sealScript } from "./lease.ts";
import { helperImage, stateVolume } from "./names.ts";

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
  /** In releases of earlier versions of Dory: their host name, in turns. */
  slot?: "blue" | "green";
  services: (ReleasedService & { container: string })[];
}

/** The name of a release in a host name: two publishers never have the same. */
export const toLabel = ({ id, slot }: EngineRelease) => slot ?? id;

const toFolder = (application: string) => `/dory/applications/${application}`;

/** Reads the releases without the lease. */
export async function readReleasesWithoutLease<R extends Release = EngineRelease>(application: string): Promise<R[]> {
  if ((await dockerOrNothing(["volume", "inspect", stateVolume])) === undefined) return [];
  // If the engine loses the container, it still ends by itself.
  const script = ["timeout", "30", "sh", "-ec", sealScript(readScript), "sh", toFolder(application)];
  const args = ["run", "--rm", "--network", "none", "-v", `${stateVolume}:/dory:ro`, helperImage, ...script];
  return JSON.parse(readSealed(await retry(() => docker(args, { timeoutMs: 20_000 }))));
}

export async function readReleases<R extends Release = EngineRelease>(lease: Lease, application: string): Promise<R[]> {
  return JSON.parse(await lease.run(readScript, [toFolder(application)]));
}

const readScript = 'cat "$1/releases.json" 2>/dev/null || echo []';

/** Atomic: written to a temporary file, then renamed. */
export async function writeReleases(lease: Lease, application: string, releases: Release[]): Promise<void> {
  const script =
    'mkdir -p "$1"; cat > "$1/releases.tmp"; sync "$1/releases.tmp" 2>/dev/null || sync; mv "$1/releases.tmp" "$1/releases.json"';
  await lease.run(script, [toFolder(application)], JSON.stringify(releases, null, 2));
}

/** The folder with a file for each release that was switched to; the newest is served. */
export const servingFolder = (application: string) => `${toFolder(application)}/serving`;

/**
 * Moves the traffic at once: the proxy looks for the newest file at every request. Its time is a number, because clocks
 * may be set back. Older files are removed at the next switch, so that a request that has seen one still finds it.
 */
const switchScript = `
mkdir -p "$1"; last=$(ls -t "$1" | head -n 1); number=0
for file in "$1"/*; do
  if [ "$file" = "$1/$last" ]; then number=$(stat -c %Y "$file"); else rm -f "$file"; fi
done
: > "$1.next"; touch -d "@$((number + 1))" "$1.next"; mv "$1.next" "$1/$2"`;

export async function switchTo(lease: Lease, application: string, label: string): Promise<void> {
  await lease.run(switchScript, [servingFolder(application), label]);
}

/** Earlier versions of Dory had two host names for all releases, and a file that chose between them. */
export async function keepServing(lease: Lease, application: string): Promise<void> {
  const isOld = '[ -e "$1/releases.json" ] && [ ! -d "$1/serving" ]';
  const label = await lease.run(`if ${isOld}; then if [ -e "$1/green" ]; then echo green; else echo blue; fi; fi`, [
    toFolder(application),
  ]);
  if (label !== "") await switchTo(lease, application, label);
}

export async function removeState(lease: Lease, application: string): Promise<void> {
  await lease.run('rm -rf "$1"', [toFolder(application)]);
}
