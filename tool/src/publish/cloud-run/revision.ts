import type { Snapshot } from "../snapshot.ts";
import { deployRevision, gcloud, type Place, readRevisionLog, removeTag } from "./gcloud.ts";
import { ask, isWell } from "./health.ts";
import {
  type CloudRunRelease,
  findFailure,
  findService,
  findServing,
  findTagUrl,
  type RunService,
  readRevisions,
  releaseVariable,
  revisionName,
  tagName,
  withVariablesFile,
} from "./service.ts";

/** Starts a revision next to the one that serves. */
export async function startRevision(
  place: Place,
  release: CloudRunRelease,
  name: string,
  isFirst: boolean,
  scale: { min: number; max: number } | undefined,
): Promise<void> {
  const [service] = release.services;
  const revision = {
    service: name,
    image: service?.image ?? "",
    port: service?.port ?? 3000,
    isFirst,
    suffix: release.id,
    tag: tagName(release.id),
    secrets: release.secretVersions,
    ...(scale ? { scale } : {}),
  };
  await withVariablesFile({ ...service?.env, [releaseVariable]: JSON.stringify(release) }, (variablesFile) =>
    gcloud.run(deployRevision(place, { ...revision, variablesFile }), { timeoutMs: 900_000 }),
  );
}

/** The state of a release. One that is restored has no URL of its own, and was tested when it was new. */
export async function observe(
  place: Place,
  name: string,
  { id, services }: CloudRunRelease,
  { path, lines, isRestoring }: { path: string; lines: number; isRestoring: boolean },
): Promise<Snapshot> {
  const revision = revisionName(name, id);
  const service = await findService(place, name);
  const found = (await readRevisions(place, name)).find(({ metadata }) => metadata.name === revision);
  const isCurrent = findServing(service) === revision;
  const url = findTagUrl(service, tagName(id)) ?? (isCurrent ? service?.status?.url : undefined);
  const answer = url === undefined ? { status: 0, body: "no address" } : await ask(place, name, url, path);
  const failure = found && findFailure(found);
  const isHealthy = url === undefined && isRestoring ? failure === undefined : isWell(answer.status, path);
  const isReady = isHealthy && found?.spec.containers[0]?.image === services[0]?.image;
  const outside = service?.status?.url ? await ask(place, name, service.status.url, path) : undefined;
  const log = lines > 0 && !isReady ? { lines: await readLog(place, name, revision, lines) } : {};
  const health = `${answer.status || ""} ${answer.body}`.trim();
  const instance = { id: revision, service: name, isCurrent: true, isReady, restarts: 0, health, ...log };
  return {
    services: [{ name, wanted: 1, ...(found ? { image: found.spec.containers[0]?.image ?? "" } : {}) }],
    instances: found ? [{ ...instance, state: failure ?? "deployed", isHopeless: failure !== undefined }] : [],
    ...(outside ? { outside: { ...outside, isCurrent } } : {}),
  };
}

export async function untag(
  place: Place,
  service: RunService | undefined,
  name: string,
  release: CloudRunRelease | undefined,
): Promise<void> {
  if (release && findTagUrl(service, tagName(release.id)) !== undefined)
    await gcloud.run(removeTag(place, name, tagName(release.id)));
}

async function readLog(place: Place, name: string, revision: string, lines: number): Promise<string[]> {
  const log = await gcloud.run(readRevisionLog(place, name, revision, lines), { timeoutMs: 30_000 }).catch(() => "");
  return log.split("\n").filter(Boolean);
}
