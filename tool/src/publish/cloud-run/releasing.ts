import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { nextId } from "../release.ts";
import { type Attempt, type Options, ReleaseFault, scaleOf } from "../target.ts";
import { deleteService, deploy, gcloud, moveTraffic, type Place, removeTag } from "./gcloud.ts";
import { healthPath, refuseUnwell, waitForHealth } from "./health.ts";
import { handOver } from "./secrets.ts";
import {
  type CloudRunRelease,
  findService,
  recordVariable,
  releasesIn,
  revisionName,
  revisionsOf,
  servingRevision,
  tagOf,
  urlOfTag,
} from "./service.ts";

/** Puts a revision beside the one that serves, tries it where nobody else asks, and moves the traffic. */
export async function releaseTo(place: Place, attempt: Attempt): Promise<{ release: CloudRunRelease; url: string }> {
  const { application, options, progress } = attempt;
  const { name } = application;
  const found = await findService(place, name);
  const before = found ? releasesIn(await revisionsOf(place, name), found) : [];
  const live = before.find(({ status }) => status === "live");
  if (options.interrupted.aborted) throw new Fault("interrupted", "Interrupted; nothing was changed.");
  const secretVersions = await progress.step("secrets", "Hand over the secrets", () => handOver(place, attempt, live));
  const release: CloudRunRelease = { ...attempt.release, id: nextId(before), status: "pending", secretVersions };
  try {
    await progress.step("start", `Start ${release.id} beside ${live?.id ?? "nothing"}`, () =>
      put(place, attempt, release, found === undefined),
    );
    await progress.step("health", "Wait until it is healthy", () => tryOut(place, attempt, release));
    if (options.interrupted.aborted) throw new Fault("interrupted", "Interrupted before the switch.");
    const url = await switchTo(place, attempt, revisionName(name, release.id), servingRevision(found));
    await gcloud.run(removeTag(place, name, tagOf(release.id))).catch(({ message }: Error) => progress.note(message));
    return { release: { ...release, status: "live" }, url };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (found && error instanceof ReleaseFault) throw error;
    // A service that is new has served its first revision at once, and nothing served before.
    if (!found) await gcloud.run(deleteService(place, name)).catch(() => "");
    throw new ReleaseFault(error.code, error.message, "unchanged");
  }
}

/** Asks the revision itself, at its own address, and looks that it is what was meant. */
async function tryOut(place: Place, { application, options }: Attempt, release: CloudRunRelease): Promise<void> {
  const revision = revisionName(application.name, release.id);
  const url = urlOfTag(await findService(place, application.name), tagOf(release.id));
  if (url === undefined) throw new Fault("not_seen", `Cloud Run tells no address of ${revision}.`);
  await waitForHealth(url, healthPath(application), options.healthMs);
  const revisions = await revisionsOf(place, application.name);
  const runs = revisions.find(({ metadata }) => metadata.name === revision)?.spec.containers[0]?.image;
  const image = release.services[0]?.image;
  if (runs !== image) throw new Fault("not_seen", `${revision} runs ${runs}, not ${image}.`);
}

async function put(place: Place, attempt: Attempt, release: CloudRunRelease, isFirst: boolean): Promise<void> {
  const { application, options } = attempt;
  const [service] = release.services;
  const isScaled = options.replicas !== undefined || options.autoscale !== undefined;
  const folder = mkdtempSync(join(tmpdir(), "dory-cloud-run-"));
  try {
    const variablesFile = join(folder, "variables.yaml");
    // JSON is YAML.
    writeFileSync(variablesFile, JSON.stringify({ ...service?.env, [recordVariable]: JSON.stringify(release) }));
    const args = deploy(place, {
      ...{
        service: application.name,
        image: service?.image ?? "",
        port: service?.port ?? 3000,
        variablesFile,
        isFirst,
      },
      ...{ suffix: release.id, tag: tagOf(release.id), secrets: release.secretVersions },
      ...(isScaled ? { scale: scaleOf(options) } : {}),
    });
    await gcloud.run(args, { timeoutMs: options.healthMs + 600_000 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Moves all traffic to a revision and sees that it serves; moves it back if it does not. Gives the address. */
export async function switchTo(
  place: Place,
  { application, options, progress }: Pick<Attempt, "application" | "options" | "progress">,
  revision: string,
  before: string | undefined,
): Promise<string> {
  const { name } = application;
  const path = healthPath(application);
  try {
    return await progress.step("switch", `Move the traffic to ${revision}`, () =>
      moveAndWatch(place, name, revision, path, options),
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (before === undefined || before === revision)
      throw new ReleaseFault(error.code, error.message, "rollback_failed");
    await progress
      .step("undo", `Move the traffic back to ${before}`, () =>
        moveAndWatch(place, name, before, path, { ...options, watchMs: 0 }),
      )
      .catch((second: Error) => {
        const advice = `Moving the traffic back failed too: ${second.message}\nLook with gcloud run services describe ${name}.`;
        throw new ReleaseFault("rollback_failed", `${error.message}\n${advice}`, "rollback_failed");
      });
    throw new ReleaseFault(error.code, error.message, "rolled_back");
  }
}

async function moveAndWatch(
  place: Place,
  service: string,
  revision: string,
  path: string,
  { healthMs, watchMs, interrupted }: Options,
): Promise<string> {
  await gcloud.run(moveTraffic(place, service, revision), { timeoutMs: 300_000 });
  const found = await findService(place, service);
  if (servingRevision(found) !== revision)
    throw new Fault(
      "not_seen",
      `The traffic goes to ${servingRevision(found) ?? "several revisions"}, not to ${revision}.`,
    );
  const url = found?.status?.url ?? "";
  await waitForHealth(url, path, Math.min(healthMs, 20_000));
  for (const end = Date.now() + watchMs; Date.now() < end && !interrupted.aborted; await sleep(1000))
    await refuseUnwell(url, path);
  return url;
}
