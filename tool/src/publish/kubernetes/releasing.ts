import { Fault } from "../../fault.ts";
import { liveOf, nextId, retire, withCutOff, withLive } from "../release.ts";
import { type Attempt, ReleaseFault, scaleOf } from "../target.ts";
import { countsIn, lookAtCluster, whyNotServing } from "./cluster.ts";
import { apply, kubectl } from "./kubectl.ts";
import type { Lease } from "./lease.ts";
import { type Counts, type KubernetesRelease, manifestsOf, secretManifest } from "./manifests.ts";
import { secretName } from "./names.ts";
import { rollOut, seen, told, watch } from "./rollout.ts";
import { readReleases, writeReleases } from "./state.ts";
import { sweep } from "./sweep.ts";
import { takeBack } from "./undo.ts";

/** Makes a release live in the cluster: all of its services, or none. */
export async function releaseUnder(lease: Lease, attempt: Attempt): Promise<KubernetesRelease> {
  const { application, options, progress } = attempt;
  const before = await recover(application.name, options.healthMs);
  const release = plannedRelease(attempt, before);
  await writeReleases(application.name, [...before, release]);
  const cluster = await lookAtCluster(application.name);
  try {
    await handOver(attempt, release);
    lease.check();
    stopIfInterrupted(attempt);
    await makeLive(attempt, release, countsIn(cluster));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const pods = await told(application.name, release).catch(() => "");
    const cause = `${error.message}${pods}`;
    // If that fails too the release stays pending, and the next publish begins with ending it.
    const outcome = await progress.step("undo", "Take it back", () =>
      takeBack(attempt, release, before, cluster, cause),
    );
    await record(attempt, [...before, { ...release, status: "failed", reason: error.message.split("\n", 1)[0] ?? "" }]);
    throw new ReleaseFault(error.code, cause, outcome);
  }
  const settled = retire(withLive([...before, release], release));
  await record(attempt, settled);
  await sweep(application.name, settled).catch(({ message }: Error) => progress.note(`Not tidied up: ${message}`));
  return { ...release, status: "live" };
}

/** As it will be recorded. What was not asked for stays as it is. */
export function plannedRelease({ release, options }: Omit<Attempt, "progress">, before: KubernetesRelease[]) {
  const isAsked = options.replicas !== undefined || options.autoscale !== undefined;
  const { scale: restored } = release as Partial<KubernetesRelease>;
  const scale = isAsked ? scaleOf(options) : (restored ?? liveOf(before)?.scale ?? scaleOf(options));
  return { ...release, scale, id: nextId(before), status: "pending" } satisfies KubernetesRelease;
}

/** Hands over the versions of secrets; for a rollback they must still be there. */
async function handOver({ application, secrets }: Attempt, { services }: KubernetesRelease): Promise<void> {
  for (const { name, secretsVersion } of services) {
    if (secretsVersion === null) continue;
    const values = secrets?.[name];
    if (values) await apply([secretManifest(application.name, name, secretsVersion, values)], { isSecret: true });
    else if (
      !(await kubectl.run(["get", "secret", secretName(name, secretsVersion), "-o", "name", "--ignore-not-found"]))
    )
      throw new Fault("secrets_gone", `The secrets of that release are not in the cluster any more. Publish again.`);
  }
}

async function makeLive(attempt: Attempt, release: KubernetesRelease, counts: Counts): Promise<void> {
  const { application, options, progress } = attempt;
  const services = release.services.map(({ name }) => name);
  await progress.step("start", `Hand ${release.id} to the cluster`, () =>
    apply(manifestsOf(application.name, release, counts)),
  );
  // Pods are replaced one after the other, and each has its time to become healthy.
  const deadline = Date.now() + options.healthMs * release.scale.min;
  await progress.step("health", "Wait until its pods serve", async () => {
    await rollOut(services, deadline, () => stopIfInterrupted(attempt));
    await seen(application.name, release, options);
  });
  await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () =>
    watch(application.name, release, options),
  );
}

function stopIfInterrupted({ options }: Attempt): void {
  if (options.interrupted.aborted) throw new Fault("interrupted", "Interrupted before all of it served.");
}

/** Ends what a publisher that was cut off left behind, to one side or the other; gives the releases. */
async function recover(application: string, healthMs: number): Promise<KubernetesRelease[]> {
  const releases = await readReleases(application);
  const pending = releases.find(({ status }) => status === "pending");
  if (!pending) return releases;
  const live = liveOf(releases);
  const cluster = await lookAtCluster(application);
  if (whyNotServing(cluster, pending) === undefined) return retire(withLive(releases, pending));
  if (live) {
    await apply(manifestsOf(application, live, countsIn(cluster)));
    const services = live.services.map(({ name }) => name);
    await rollOut(services, Date.now() + healthMs * live.scale.min, () => {});
  }
  return withCutOff(releases, pending);
}

/** What serves is decided by now; if that cannot be written down, the next publish finds it out. */
async function record({ application, progress }: Attempt, releases: KubernetesRelease[]): Promise<void> {
  await writeReleases(application.name, releases).catch(({ message }: Error) =>
    progress.note(`Not recorded: ${message}`),
  );
}
