import { spawn } from "node:child_process";
import { hostname, userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import type { Attempt } from "../target.ts";
import { docker, dockerIfPossible, inspect } from "./docker.ts";
import { helperImage, stateVolume } from "./names.ts";

/**
 * The right to change an application on an engine: a container that lives as long as its holder sends a sign of life. The
 * engine lets one container have the name, so one publisher holds the lease. What is kept on the engine is changed through
 * that container alone, so that whoever lost the lease cannot write any more.
 */
export interface Lease {
  /** Runs a shell script beside the engine's state. */
  run(script: string, args: string[], input?: string): Promise<string>;
  release(): Promise<void>;
}

const secondsToLive = 30;
const live = `cat /etc/hostname; while timeout ${secondsToLive} sh -c 'read -r sign'; do :; done`;

async function takeLease(application: string, { isWaiting }: { isWaiting: boolean }): Promise<Lease> {
  const name = `dory-lease-${application}`;
  for (;;) {
    const lease = await tryToTake(name);
    if (lease) return lease;
    const holder = await holderOf(name);
    if (holder !== undefined && !isWaiting)
      throw new Fault(
        "lease_held",
        `${holder} is publishing ${application}. Wait for it with --wait; a lease without a sign of life ends after ${secondsToLive} seconds.`,
      );
    await sleep(500);
  }
}

/** Works under the lease, and gives it back whatever comes of it. */
export async function underLease<T>(
  { application, options, progress }: Attempt,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await progress.step("lease", "Take the lease", () => takeLease(application.name, options));
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

export const holderName = () => `${userInfo().username}@${hostname()}`;

async function tryToTake(name: string): Promise<Lease | undefined> {
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
  let told = "";
  child.stderr.on("data", (text) => (told += text));
  // By its id, since the name may be another's by the time that this one is lost.
  const id = await new Promise<string>((resolve) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("error", () => resolve(""));
    child.once("close", () => resolve(""));
  });
  if (id === "") {
    if (/is already in use by container/i.test(told)) return undefined;
    // Asking again through the common door tells the fault in words that help.
    await docker(["version"]);
    throw new Fault("lease", `No lease can be taken:\n${told.trim().split("\n").slice(-3).join("\n")}`);
  }
  child.stdin.on("error", () => {});
  const signs = setInterval(() => child.stdin.write("\n"), (secondsToLive * 1000) / 6);
  signs.unref();
  return {
    run: async (script, args, input = "") =>
      whole(await docker(["exec", "-i", id, "sh", "-ec", sealed(script, input), "sh", ...args], { input })),
    release: async () => {
      clearInterval(signs);
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await Promise.race([closed, sleep(5000)]);
    },
  };
}

/** A connection that is lost must not be taken for the end of what was sent, in either direction. */
export function sealed(script: string, input = ""): string {
  const received = `cat > /tmp/$$; test "$(wc -c < /tmp/$$)" -eq ${Buffer.byteLength(input)}; exec < /tmp/$$; rm /tmp/$$`;
  return `${received}; ${script}; echo; echo .`;
}

/** What a sealed script printed; cut off, it is a fault and not an answer. */
export function whole(output: string): string {
  if (output !== "." && !output.endsWith("\n."))
    throw new Fault(
      "engine_lost",
      "The engine's answer was cut off. Check the connection, then run the same command again.",
    );
  return output.slice(0, -1).trim();
}

/** Who holds it; nobody, if its container does not run any more: then it is cleared away. */
async function holderOf(name: string): Promise<string | undefined> {
  interface Found {
    Id: string;
    State: { Running: boolean; Status: string };
    Config: { Labels: Record<string, string> };
  }
  const found = await inspect<Found>("container", name);
  if (!found) return undefined;
  const { "dory.holder": holder, "dory.since": since } = found.Config.Labels;
  if (found.State.Running || Date.now() - Date.parse(since ?? "") < secondsToLive * 1000)
    return `${holder} (since ${since})`;
  await dockerIfPossible(["rm", "-f", found.Id]);
  return undefined;
}
