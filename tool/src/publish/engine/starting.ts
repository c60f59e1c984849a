import { Fault } from "../../fault.ts";
import type { ReleasedService } from "../release.ts";
import type { Attempt } from "../target.ts";
import { createContainer, findContainer, imageOf, keepSecrets } from "./container.ts";
import { docker, dockerOrNothing } from "./docker.ts";
import { containerName, imageTag, labels, releaseNetwork, secretsVolume } from "./names.ts";
import { ensureNetwork, proxyNetwork, slotName } from "./proxy.ts";
import type { EngineRelease } from "./state.ts";

type Released = EngineRelease["services"][number];

/** The release as it will be recorded: what runs, and in which container. */
export async function planRelease(
  { application: { name }, release }: Attempt,
  live: EngineRelease | undefined,
  place: Pick<EngineRelease, "id" | "address" | "slot">,
): Promise<EngineRelease> {
  const services: Released[] = [];
  for (const { container: _, ...service } of release.services as Released[]) {
    const before = live?.services.find((one) => one.name === service.name);
    const stays = before !== undefined && (await keepsData(service)) && (await canStay(before, service));
    services.push({ ...service, container: stays ? before.container : containerName(name, service.name, place.id) });
  }
  return { ...release, ...place, status: "pending", services };
}

/** Our backends may run twice on the same files, for a moment. Of other images that is not known. */
async function keepsData({ image, isBuilt }: ReleasedService): Promise<boolean> {
  return !isBuilt && Object.keys((await imageOf(image)).Config.Volumes ?? {}).length > 0;
}

/** What keeps data goes on from release to release, as long as it is to be as it is. */
async function canStay({ container, ...before }: Released, service: ReleasedService): Promise<boolean> {
  const isRunning = (await findContainer(container))?.State.Running === true;
  if (!isRunning || JSON.stringify(before) === JSON.stringify(service)) return isRunning;
  throw new Fault(
    "keeps_data",
    `${service.name} keeps data, and two of it cannot run on the same data, so it cannot be changed without a pause. Leave it as it is, or give the changed service another name.`,
  );
}

/** Makes and starts the release's containers. */
export async function start(
  { application: { name }, secrets }: Attempt,
  release: EngineRelease,
  live: EngineRelease | undefined,
): Promise<void> {
  const { id, services } = release;
  const isSeveral = services.length > 1;
  const running = new Set(live?.services.map(({ container }) => container));
  if (isSeveral) await docker(["network", "create", "--label", `dory.application=${name}`, releaseNetwork(name, id)]);
  await ensureNetwork(proxyNetwork(release.address));
  for (const service of services) {
    const internal = isSeveral ? [{ name: releaseNetwork(name, id), aliases: [service.name] }] : [];
    if (running.has(service.container)) {
      await docker(["network", "connect", "--alias", service.name, releaseNetwork(name, id), service.container]);
      continue;
    }
    await handOver(name, service, secrets?.[service.name]);
    await docker(["tag", service.image, imageTag(name, service.name, id)]);
    const isPublic = service === services[0];
    const front = isPublic ? [{ name: proxyNetwork(release.address), aliases: [slotName(name, release.slot)] }] : [];
    const networks = [...internal, ...front];
    await createContainer(service, {
      application: name,
      name: service.container,
      labels: labels(name, id, service.name),
      networks,
    });
    await docker(["start", service.container]);
  }
}

/** Hands over a version of secrets; for a rollback it must still be there. */
async function handOver(
  application: string,
  service: Released,
  values: Record<string, string> | undefined,
): Promise<void> {
  if (service.secretsVersion === null) return;
  const volume = secretsVolume(application, service.name, service.secretsVersion);
  if (values)
    await keepSecrets(volume, values, ["--label", "dory.secrets", "--label", `dory.application=${application}`]);
  else if ((await dockerOrNothing(["volume", "inspect", volume])) === undefined)
    throw new Fault("secrets_gone", `The secrets of that release are not on this engine any more. Publish again.`);
}
