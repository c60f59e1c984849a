import { isBuildTag } from "../image.ts";
import { listServed } from "../release.ts";
import type { Lock } from "../target.ts";
import { removeContainer } from "./container.ts";
import { docker, dockerIfPossible, dockerLines, dockerOrNothing } from "./docker.ts";
import { applicationNetwork, filterFlags, imageName, releaseNetwork, secretsVolume, sharedNetwork } from "./names.ts";
import type { EngineRelease } from "./state.ts";

/**
 * Removes all containers and networks except those of the live release. It lists them before it checks the lease: a
 * publisher that sleeps after that, and wakes up when another one has published, knows nothing of that one's containers.
 */
export async function pruneContainers(
  application: string,
  live: EngineRelease | undefined,
  { check }: Lock,
): Promise<void> {
  const running = new Set(live?.services.map(({ container }) => container));
  const containers = await dockerLines(["ps", "-a", ...filterFlags(application), "--format", "{{.Names}}"]);
  const networks = await dockerLines(["network", "ls", ...filterFlags(application), "--format", "{{.Name}}"]);
  await check();
  await Promise.all(containers.filter((name) => !running.has(name)).map(removeContainer));
  const joined = live
    ? [releaseNetwork(application, live.id), sharedNetwork(application), applicationNetwork(application)]
    : [];
  for (const name of networks) if (!joined.includes(name)) await removeNetwork(name);
}

/** Removes the versions of secrets that none of these releases has. */
export async function pruneSecrets(application: string, releases: EngineRelease[]): Promise<void> {
  const needed = new Set(
    listServed(releases).flatMap(({ services }) =>
      services.map(({ name, secretsVersion }) => secretsVolume(application, name, secretsVersion ?? "")),
    ),
  );
  const marked = ["--filter", "label=dory.secrets", "--format", "{{.Name}}"];
  for (const name of await dockerLines(["volume", "ls", ...filterFlags(application), ...marked]))
    if (!needed.has(name)) await dockerIfPossible(["volume", "rm", name]);
}

/**
 * Removes the tags of other releases; the engine then removes images without a tag. What another publisher has just
 * built has another tag.
 */
export async function pruneImages(application: string, releases: EngineRelease[]): Promise<void> {
  const needed = new Set(
    listServed(releases).flatMap(({ id, services }) =>
      services.map(({ name }) => `${imageName(application, name)}:${id}`),
    ),
  );
  const services = new Set(releases.flatMap(({ services }) => services.map(({ name }) => name)));
  for (const service of services)
    for (const tag of await listTags(application, service))
      if (isReleaseTag(tag) && !needed.has(tag)) await dockerIfPossible(["rmi", tag]);
}

const isReleaseTag = (tag: string) => /:r\d+$/.test(tag);

const listTags = (application: string, service: string) =>
  dockerLines(["images", "--format", "{{.Repository}}:{{.Tag}}", imageName(application, service)]);

/** Only tags of releases and builds: others may have given the same image another one. */
export async function removeImages(application: string, services: string[]): Promise<void> {
  for (const service of services)
    for (const tag of await listTags(application, service))
      if (isReleaseTag(tag) || isBuildTag(tag)) await dockerIfPossible(["rmi", tag]);
}

/** Removes the data volumes of an application, or only those that a failed first release made. */
export async function removeData(application: string, release?: EngineRelease): Promise<void> {
  const made = release ? ["--filter", `label=dory.release=${release.id}`] : [];
  for (const name of await listData(application, made)) await docker(["volume", "rm", name]);
}

/** The volumes with an application's data. */
export async function listData(application: string, filter: string[] = []): Promise<string[]> {
  const names = ["volume", "ls", ...filterFlags(application), ...filter, "--format", "{{.Name}}"];
  const secrets = new Set(await dockerLines([...names, "--filter", "label=dory.secrets"]));
  return (await dockerLines(names)).filter((name) => !secrets.has(name));
}

/** Containers that stay from release to release may still be connected to it. */
async function removeNetwork(name: string): Promise<void> {
  const joined = await dockerOrNothing(["network", "inspect", "-f", "{{range .Containers}}{{.Name}} {{end}}", name]);
  for (const container of (joined ?? "").split(" ").filter(Boolean))
    await dockerIfPossible(["network", "disconnect", "-f", name, container]);
  await dockerIfPossible(["network", "rm", name]);
}
