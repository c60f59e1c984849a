import { Fault } from "../../fault.ts";
import { searchedLines } from "../cause.ts";
import type { ReleasedService } from "../release.ts";
import { lateReason, migrationMs, type RunResult } from "../run.ts";
import type { Attempt, Lock } from "../target.ts";
import { createContainer, findContainer, inspectImage, readLog, removeContainer, writeSecrets } from "./container.ts";
import { docker, dockerOrNothing } from "./docker.ts";
import {
  applicationNetwork,
  containerName,
  imageName,
  labelFlags,
  releaseNetwork,
  secretsVolume,
  sharedNetwork,
} from "./names.ts";
import { ensureNetwork, toHostName } from "./proxy.ts";
import { type EngineRelease, toLabel } from "./state.ts";

type Released = EngineRelease["services"][number];

/** The release as it will be recorded: what runs, and in which container. */
export async function planRelease(
  { application: { name }, release }: Omit<Attempt, "progress">,
  live: EngineRelease | undefined,
  place: Pick<EngineRelease, "id" | "address">,
): Promise<EngineRelease> {
  const services: Released[] = [];
  for (const { container: _, ...service } of release.services as Released[]) {
    const before = live?.services.find((one) => one.name === service.name);
    const stays = before !== undefined && (await keepsData(service)) && (await canStay(before, service));
    services.push({ ...service, container: stays ? before.container : containerName(name, service.name, place.id) });
  }
  const { slot: _, ...rest } = release as typeof release & Pick<EngineRelease, "slot">;
  return { ...rest, ...place, status: "pending", services };
}

/** Two of our backends can use the same files for a moment; other images perhaps not. */
async function keepsData({ image, isBuilt }: ReleasedService): Promise<boolean> {
  return !isBuilt && Object.keys((await inspectImage(image)).Config.Volumes ?? {}).length > 0;
}

/** A container with data stays from release to release, as long as its service is unchanged. */
async function canStay({ container, ...before }: Released, service: ReleasedService): Promise<boolean> {
  const isRunning = (await findContainer(container))?.State.Running === true;
  if (!isRunning || JSON.stringify(before) === JSON.stringify(service)) return isRunning;
  throw new Fault(
    "keeps_data",
    `${service.name} keeps data, and two instances cannot use the same data, so it cannot be changed without downtime. Leave it unchanged, or rename the changed service.`,
  );
}

/**
 * Creates and starts the release's containers, and connects those of the live release that stay. A publisher may sleep
 * at any point, and wake up when another one has published: so the lease is checked again and again.
 */
export async function startRelease(
  application: string,
  release: EngineRelease,
  { check }: Lock,
  isWanted: (service: ReleasedService) => boolean = () => true,
): Promise<void> {
  const { id, services } = release;
  const isSeveral = services.length > 1;
  const network = releaseNetwork(application, id);
  if (isSeveral) await ensureNetwork(network, application);
  await ensureNetwork(applicationNetwork(application), application);
  for (const service of services.filter(isWanted)) {
    const internal = isSeveral ? [{ name: network, aliases: [service.name] }] : [];
    if (isSeveral && (await keepsData(service))) {
      // A container cannot leave its first network, so one that stays needs a network that stays too.
      await ensureNetwork(sharedNetwork(application), application);
      internal.unshift({ name: sharedNetwork(application), aliases: [] });
    }
    await check();
    if (isNew(application, release, service)) await startService(application, release, service, internal);
    else await docker(["network", "connect", "--alias", service.name, network, service.container]);
    await check();
  }
}

const isNew = (application: string, { id }: EngineRelease, { name, container }: Released) =>
  container === containerName(application, name, id);

async function startService(
  application: string,
  release: EngineRelease,
  service: Released,
  internal: { name: string; aliases: string[] }[],
): Promise<void> {
  const { id, services } = release;
  await docker(["tag", service.image, `${imageName(application, service.name)}:${id}`]);
  const proxied =
    service === services[0]
      ? [{ name: applicationNetwork(application), aliases: [toHostName(application, toLabel(release))] }]
      : [];
  await createContainer(service, {
    application,
    name: service.container,
    labels: labelFlags(application, id, service.name),
    networks: [...internal, ...proxied],
  });
  await docker(["start", service.container]);
}

/**
 * Runs a service once, to apply its migrations: in the network of a release that runs, whose database it may use, or that
 * of an application of one service.
 */
export async function runMigrations(
  application: string,
  { id, services }: EngineRelease,
  name: string,
  running: EngineRelease | undefined,
): Promise<RunResult> {
  const service = services.find((one) => one.name === name) as Released;
  const isSeveral = services.length > 1;
  const network = isSeveral && running ? releaseNetwork(application, running.id) : applicationNetwork(application);
  const container = `${containerName(application, name, id)}--migrate`;
  await ensureNetwork(network, application);
  await removeContainer(container);
  const once = { ...service, env: { ...service.env, MIGRATE: "only" } };
  const labels = labelFlags(application, id, name);
  try {
    await createContainer(once, { application, name: container, labels, networks: [{ name: network, aliases: [] }] });
    await docker(["start", container]);
    const code = await docker(["wait", container], { timeoutMs: migrationMs }).catch((error: Fault) => {
      if (error.code === "engine_lost") return undefined;
      throw error;
    });
    const lines = await readLog(container, searchedLines);
    return { isDone: code === "0", lines, ...(code === undefined && { reason: lateReason }) };
  } finally {
    await removeContainer(container);
  }
}

/** Writes the versions of secrets; for a rollback they must still exist. */
export async function putSecrets(
  application: string,
  release: EngineRelease,
  values: Attempt["secrets"],
): Promise<EngineRelease> {
  for (const service of release.services) {
    if (service.secretsVersion === null || !isNew(application, release, service)) continue;
    const volume = secretsVolume(application, service.name, service.secretsVersion);
    const marks = ["--label", "dory.secrets", "--label", `dory.application=${application}`];
    const given = values?.[service.name];
    if (given) await writeSecrets(volume, given, marks);
    else if ((await dockerOrNothing(["volume", "inspect", volume])) === undefined)
      throw new Fault("secrets_gone", "The secrets of that release are no longer on this engine. Publish again.");
  }
  return release;
}
