import type { Application } from "../application.ts";
import { dockerOrNothing } from "../engine/docker.ts";
import { healthPath } from "../engine/watching.ts";
import type { Options } from "../target.ts";
import { ask, urlOf } from "./front.ts";
import { frontService, serviceName } from "./names.ts";
import type { SwarmRelease } from "./records.ts";
import { roll, untilRolled } from "./rolling.ts";
import { servicesOf } from "./service.ts";

/**
 * Brings the live release back, whatever the swarm did by itself: what runs already stays as it is. Services that it does not
 * have are taken away.
 */
export async function goBack(
  application: Application,
  live: SwarmRelease | undefined,
  { healthMs }: Pick<Options, "healthMs">,
): Promise<void> {
  const { name } = application;
  for (const service of live?.services ?? []) {
    const rolling = await roll(name, service);
    await untilRolled(
      rolling,
      Math.max(healthMs, 60_000),
      () => {},
      () => {},
    );
  }
  await removeOthers(name, live);
  if (!live) return;
  const { status, body } = await ask(await urlOf(name, live.port), healthPath(application));
  if (status === 0 || status >= 500) throw new Error(`it answers ${status || ""} ${body}`);
}

/** Takes away the services of an application that do not belong to a release. */
export async function removeOthers(application: string, release: SwarmRelease | undefined): Promise<void> {
  const own = release ? [...release.services.map(({ name }) => name), frontService(release.port)] : [];
  const names = new Set(own.map((service) => serviceName(application, service)));
  for (const name of await servicesOf(application))
    if (!names.has(name)) await dockerOrNothing(["service", "rm", name]);
}
