import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, nothingChanged } from "../../fault.ts";
import { describeWait, holderName, leaseHeldFault, leaseSeconds } from "../holder.ts";
import type { Lock, Options } from "../target.ts";
import { docker, dockerIfPossible, inspect, readEngineTime } from "./docker.ts";
import { helperImage, stateVolume } from "./names.ts";

/**
 * The right to change an application on an engine: a container that runs as long as its holder sends heartbeats. Only
 * one container can have the name, so only one publisher holds the lease. The state on the engine is changed only through
 * that container: a publisher that lost the lease cannot write.
 */
export interface Lease extends Lock {
  /** Runs a shell script in the lease's container, which has the state. */
  run(script: string, args: string[], input?: string): Promise<string>;
}

const live = `cat /etc/hostname; while timeout ${leaseSeconds} sh -c 'read -r sign'; do :; done`;

export async function takeLease(
  application: string,
  { isWaiting, interrupted }: Options,
  update: (text: string) => void,
): Promise<Lease> {
  const name = leaseName(application);
  for (;;) {
    const lease = await tryToTake(name, interrupted);
    if (lease) return lease;
    if (interrupted.aborted) throw nothingChanged();
    const found = await readLease(name);
    if (found.holder !== undefined && !isWaiting) throw leaseHeldFault(application, found.holder);
    if (found.holder !== undefined) update(describeWait(found.holder));
    else if (found.id !== undefined) await dockerIfPossible(["rm", "-f", found.id]);
    await sleep(500);
  }
}

const leaseName = (application: string) => `dory-lease-${application}`;

/** The lease of an application for a driver: writing needs it, reading does not. */
export function createLease(application: string) {
  let current: Lease | undefined;
  return {
    get current(): Lease | undefined {
      return current;
    },
    get held(): Lease {
      if (!current) throw new Fault("lease", "The lease is not held.");
      return current;
    },
    findHolder: async () => (await readLease(leaseName(application))).holder,
    async lock(options: Options, update: (text: string) => void): Promise<Lock> {
      const lease = await takeLease(application, options, update);
      current = lease;
      const release = () => {
        current = undefined;
        return lease.release();
      };
      return { check: lease.check, release };
    },
  };
}

async function tryToTake(name: string, interrupted: AbortSignal): Promise<Lease | undefined> {
  const labels = ["--label", `dory.holder=${holderName()}`, "--label", `dory.since=${new Date().toISOString()}`];
  const place = ["--network", "none", "-v", `${stateVolume}:/dory`];
  const child = spawn(
    "docker",
    ["run", "--rm", "-i", "--name", name, ...labels, ...place, helperImage, "sh", "-c", live],
    {
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  // The engine may never answer; a lease without heartbeats ends by itself.
  const end = () => child.kill();
  const late = setTimeout(end, 60_000);
  interrupted.addEventListener("abort", end);
  // The id, because another publisher's container may have the name after this lease is lost.
  const id = await new Promise<string>((resolve) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("error", () => resolve(""));
    child.once("close", () => resolve(""));
  });
  clearTimeout(late);
  interrupted.removeEventListener("abort", end);
  if (id === "") {
    if (interrupted.aborted || /is already in use by container/i.test(stderr)) return undefined;
    // If the engine is the cause, this reports it with what to do.
    await docker(["version"]);
    throw new Fault("lease", `The lease cannot be taken:\n${stderr.trim().split("\n").slice(-3).join("\n")}`);
  }
  child.stdin.on("error", () => {});
  const heartbeat = setInterval(() => child.stdin.write("\n"), (leaseSeconds * 1000) / 6);
  heartbeat.unref();
  return {
    // Asks the engine: this process may have slept, or its connection may be dead, and it does not know yet.
    check: async () => {
      const found =
        child.exitCode === null ? await inspect<{ State: { Running: boolean } }>("container", id) : undefined;
      if (!found?.State.Running) throw new Fault("lease_lost", "The lease was lost. See dory releases.");
    },
    run: async (script, args, input) =>
      readSealed(
        await docker(
          ["exec", ...(input === undefined ? [] : ["-i"]), id, "sh", "-ec", sealScript(script, input), "sh", ...args],
          input === undefined ? {} : { input },
        ),
      ),
    release: async () => {
      clearInterval(heartbeat);
      if (child.exitCode !== null) return;
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await Promise.race([closed, sleep(5000)]);
    },
  };
}

/**
 * Detects a lost connection: the script checks the length of its input, and prints an end mark after its output. It
 * does not wait for the end of the input, which may never come.
 */
export function sealScript(script: string, input?: string): string {
  const size = Buffer.byteLength(input ?? "");
  const received = `head -c ${size} > /tmp/$$; test "$(wc -c < /tmp/$$)" -eq ${size}; exec < /tmp/$$; rm /tmp/$$; `;
  return `${input === undefined ? "" : received}${script}; echo; echo .`;
}

/** The output of a sealed script; throws if the end mark is missing. */
export function readSealed(output: string): string {
  if (output !== "." && !output.endsWith("\n."))
    throw new Fault(
      "engine_lost",
      "The engine's answer was cut off. Check the connection, then run the same command again.",
    );
  return output.slice(0, -1).trim();
}

/** The container of a lease, and its holder if it still runs. */
async function readLease(name: string): Promise<{ id?: string; holder?: string }> {
  interface Found {
    Id: string;
    Created: string;
    State: { Running: boolean; Status: string };
    Config: { Labels: Record<string, string> };
  }
  const found = await inspect<Found>("container", name);
  if (!found) return {};
  const { "dory.holder": holder, "dory.since": since } = found.Config.Labels;
  const isStarting =
    found.State.Status === "created" && (await readEngineTime()) - Date.parse(found.Created) < leaseSeconds * 1000;
  return { id: found.Id, ...(found.State.Running || isStarting ? { holder: `${holder} (since ${since})` } : {}) };
}
