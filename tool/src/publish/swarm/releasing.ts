import { Fault } from "../../fault.ts";
import type { Lease } from "../engine/lease.ts";
import { healthPath } from "../engine/watching.ts";
import { liveOf, nextId } from "../release.ts";
import { type Attempt, type Published, ReleaseFault } from "../target.ts";
import { ensureFront, removeFront, urlOf } from "./front.ts";
import { goBack } from "./goingback.ts";
import { serviceName } from "./names.ts";
import { planRelease } from "./planning.ts";
import { keepReleases, type SwarmRelease } from "./records.ts";
import { recover, settle } from "./recovery.ts";
import { type Rolling, roll, untilRolled } from "./rolling.ts";
import { handOver } from "./secrets.ts";
import { refuseForeign } from "./service.ts";
import { sweep } from "./sweep.ts";
import { seen, watch } from "./watching.ts";

/** Makes a release live in the swarm: all of its services, or none. */
export async function releaseUnder(lease: Lease, attempt: Attempt): Promise<Published> {
  const { application, progress } = attempt;
  const before = await recover(lease, application.name);
  const live = liveOf(before);
  const release = await planRelease(attempt, live, nextId(before));
  for (const { name } of release.services) await refuseForeign(application.name, serviceName(application.name, name));
  await keepReleases(lease, application.name, [...before, release]);

  const rollings: Rolling[] = [];
  let isFrontNew = false;
  try {
    isFrontNew = await progress.step("start", `Prepare ${release.id}`, () => prepare(attempt, release));
    await makeLive(attempt, release, rollings);
  } catch (error) {
    if (isFrontNew) await removeFront(application.name, release.port);
    throw await undone(lease, attempt, before, release, rollings, error as Error);
  }
  const settled = await progress.step("settle", "Mark it live", () =>
    settle(lease, application.name, [...before, release], release),
  );
  return { release: liveOf(settled) ?? release, url: await urlOf(application.name, release.port) };
}

/** Brings what the release needs; nobody notices yet. Gives whether its front is new. */
async function prepare({ application: { name }, secrets }: Attempt, release: SwarmRelease): Promise<boolean> {
  for (const service of release.services) await handOver(name, service, secrets?.[service.name]);
  const [first] = release.services;
  return ensureFront({
    application: name,
    port: release.port,
    service: first?.name ?? "",
    servicePort: first?.port ?? 3000,
  });
}

/** One service after the other; the one that the outside reaches comes last, when all that it needs is there. */
async function makeLive(attempt: Attempt, release: SwarmRelease, rollings: Rolling[]): Promise<void> {
  const { application, options, progress } = attempt;
  const stopIfInterrupted = () => {
    if (options.interrupted.aborted && !rollings.some(({ hasRun }) => hasRun))
      throw new Fault("interrupted", "Interrupted before the new release served anybody.");
  };
  for (const service of release.services.toReversed()) {
    stopIfInterrupted();
    await progress.step("roll", `Bring ${service.name} to ${release.id}, task by task`, async (update) => {
      const rolling = await roll(application.name, service, rollings);
      rollings.push(rolling);
      await untilRolled(rolling, options.healthMs, update, stopIfInterrupted);
    });
  }
  const front = { url: await urlOf(application.name, release.port), path: healthPath(application) };
  const last = rollings.at(-1);
  await progress.step("seen", "See it from outside", async () => {
    if (last) await seen(last, front.url, front.path);
  });
  await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () => watch(rollings, front, options));
}

/** Goes back, records why, and gives the fault that tells how it ended. */
async function undone(
  lease: Lease,
  attempt: Attempt,
  before: SwarmRelease[],
  release: SwarmRelease,
  rollings: Rolling[],
  cause: Error,
): Promise<Error> {
  const { application, options, progress } = attempt;
  const live = liveOf(before);
  const failed: SwarmRelease = { ...release, status: "failed", reason: cause.message.split("\n", 1)[0] ?? "" };
  const back = await progress
    .step("back", live ? `Go back to ${live.id}` : "Take it away again", () => goBack(application, live, options))
    .then(
      () => undefined,
      (error: Error) => error,
    );
  if (back)
    return new ReleaseFault(
      "rollback_failed",
      `${cause.message}\nGoing back to ${live?.id ?? "nothing"} failed too: ${back.message}\nSee dory status.`,
      "rollback_failed",
    );
  await keepReleases(lease, application.name, [...before, failed]);
  await sweep(application.name, [...before, failed]);
  if (!(cause instanceof Fault)) return cause;
  const isUnchanged = !live || !rollings.some(({ hasRun }) => hasRun);
  return new ReleaseFault(cause.code, cause.message, isUnchanged ? "unchanged" : "rolled_back");
}
