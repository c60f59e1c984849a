import { liveOf } from "../release.ts";
import { removeContainer } from "./container.ts";
import { docker, dockerIfPossible, dockerOrNothing } from "./docker.ts";
import { imageTag, releaseNetwork, secretsVolume } from "./names.ts";
import type { EngineRelease } from "./state.ts";

/** Removes what belongs to an application and to none of the releases that are kept; only what is live may run. */
export async function sweep(application: string, releases: EngineRelease[]): Promise<void> {
  const live = liveOf(releases);
  const services = goodOf(releases).flatMap(({ services }) => services);
  const mine = ["--filter", `label=dory.application=${application}`];

  const containers = await listed(["ps", "-a", ...mine, "--format", "{{.Names}}"]);
  const running = new Set(live?.services.map(({ container }) => container));
  await Promise.all(containers.filter((name) => !running.has(name)).map(removeContainer));

  const networks = await listed(["network", "ls", ...mine, "--format", "{{.Name}}"]);
  for (const name of networks) if (!live || name !== releaseNetwork(application, live.id)) await removeNetwork(name);

  const versions = new Set(
    services.map(({ name, secretsVersion }) => secretsVolume(application, name, secretsVersion ?? "")),
  );
  const volumes = await listed(["volume", "ls", ...mine, "--filter", "label=dory.secrets", "--format", "{{.Name}}"]);
  for (const name of volumes) if (!versions.has(name)) await dockerIfPossible(["volume", "rm", name]);
}

/** Removes the images of no release. Not at the start of a publish: what it has just built belongs to none yet. */
export async function sweepImages(application: string, releases: EngineRelease[]): Promise<void> {
  const services = goodOf(releases).flatMap(({ id, services }) => services.map((service) => ({ id, ...service })));
  const images = new Set(services.map(({ image }) => image));
  const tags = new Set(services.map(({ id, name }) => imageTag(application, name, id)));
  const isNeeded = (tag = "", image = "") => (/:r\d+$/.test(tag) ? tags.has(tag) : images.has(image));
  for (const { name } of releases.at(-1)?.services.filter(({ isBuilt }) => isBuilt) ?? [])
    for (const line of await listed([
      "images",
      "--no-trunc",
      "--format",
      "{{.Repository}}:{{.Tag}} {{.ID}}",
      imageTag(application, name, "*"),
    ])) {
      const [tag = "", image] = line.split(" ");
      if (!isNeeded(tag, image)) await dockerIfPossible(["rmi", tag]);
    }
}

function goodOf(releases: EngineRelease[]): EngineRelease[] {
  return releases.filter(({ status }) => status === "live" || status === "replaced");
}

/** Of an application that never was live, nothing stays: also not the empty volumes that a failed release made. */
export async function sweepData(application: string, { id }: EngineRelease, releases: EngineRelease[]): Promise<void> {
  if (releases.some(({ status }) => status === "live" || status === "replaced")) return;
  const made = ["--filter", `label=dory.application=${application}`, "--filter", `label=dory.release=${id}`];
  for (const name of await listed(["volume", "ls", ...made, "--format", "{{.Name}}"]))
    await dockerIfPossible(["volume", "rm", name]);
}

async function listed(args: string[]): Promise<string[]> {
  return (await docker(args)).split("\n").filter(Boolean);
}

/** What stays from release to release is still joined to the networks of earlier ones. */
async function removeNetwork(name: string): Promise<void> {
  const joined = await dockerOrNothing(["network", "inspect", "-f", "{{range .Containers}}{{.Name}} {{end}}", name]);
  for (const container of (joined ?? "").split(" ").filter(Boolean))
    await dockerIfPossible(["network", "disconnect", "-f", name, container]);
  await dockerIfPossible(["network", "rm", name]);
}
