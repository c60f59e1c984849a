import { eventually } from "../../../../backend/kit/test/eventually.ts";
import { dockerTarget } from "../../../src/publish/engine/driver.ts";
import { applicationNetwork, filterFlags, imageName, secretsVolume } from "../../../src/publish/engine/names.ts";
import { buildImage, createBuildTag } from "../../../src/publish/image.ts";
import { pushImage } from "../../../src/publish/push.ts";
import { findLive, listServed } from "../../../src/publish/release.ts";
import { unpublish } from "../../../src/publish/rollback.ts";
import { swarmTarget } from "../../../src/publish/swarm/driver.ts";
import { ownLabel, proxyService, secretName, serviceName } from "../../../src/publish/swarm/names.ts";
import type { Driver, Options, Target } from "../../../src/publish/target.ts";
import { docker, newProject } from "../support.ts";
import { attemptFor, type Cannot, fileSecret, quickly, quiet, shop, unreachable, type World } from "./world.ts";

/** The image of one of our backends: its id on the engine, or its digest in a registry. */
export async function backendImage(name: string, registry?: string): Promise<string> {
  const folder = await newProject(name, "--database", "both");
  const application = { ...shop(name), folder };
  const [service] = application.services;
  if (!service) throw new Error("There is no service.");
  const built = await buildImage(application, { ...service, folder }, createBuildTag(), () => {}, quickly.interrupted);
  return registry === undefined ? built : pushImage(registry, "dory-test", name, built);
}

/** Releases take seconds here, so some tests are left out. TEST_WHOLE_SUITE runs all of them nevertheless. */
export function without(...abilities: (keyof Cannot)[]): Cannot {
  if (process.env["TEST_WHOLE_SUITE"]) return {};
  return Object.fromEntries(abilities.map((ability) => [ability, "only with TEST_WHOLE_SUITE"]));
}

const patient: Options = { ...quickly, healthMs: 40_000, watchMs: 1000 };

let count = 0;

/** A new application; its data is lost with its containers. */
function createWorld(kind: string, target: Target, image: string, firstPort: number): Pick<World, Common> {
  const application = shop(`${kind}-${process.pid}-${++count}`);
  const options = { ...patient, port: firstPort + count };
  const open = () => target.open(application);
  return {
    application,
    open,
    secret: fileSecret,
    unreadySecret: unreachable,
    attempt: (asked) => attemptFor(application, options, { image, secret: fileSecret(1), ...asked }),
    expireLease: () => endLease(application.name),
    async end() {
      await endLease(application.name);
      await unpublish({ driver: await open(), application, options, progress: quiet() }, true);
    },
  };
}

type Common = "application" | "open" | "attempt" | "secret" | "unreadySecret" | "expireLease" | "end";

/** Removes the container of the lease. */
const endLease = async (name: string) => void (await docker("rm", "-f", `dory-lease-${name}`).catch(() => ""));

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const list = async (...args: string[]) => lines(await docker(...args));
const names = ["--format", "{{.Name}}"];

/** Ends the process in each container. It retries, because a busy engine may refuse to run a command there. */
async function crash(...filter: string[]): Promise<void> {
  for (const id of await list("ps", "-q", ...filter.flatMap((one) => ["--filter", one]))) {
    const state = () =>
      docker("inspect", "--format", "{{.State.Running}} {{.State.StartedAt}}", id).catch(() => "gone");
    const before = await state();
    await eventually(async () => {
      await docker("exec", id, "/nodejs/bin/node", "-e", "process.kill(1)").catch(() => "");
      return (await state()) !== before;
    }, "a container to crash");
  }
}

/** On the real engine. */
export async function engineWorld(image: string): Promise<World> {
  const world = createWorld("engine", dockerTarget, image, 18_200);
  const { name } = world.application;
  const own = filterFlags(name);
  return {
    ...world,
    crash: () => crash(`label=dory.application=${name}`),
    async leftovers() {
      const { live, served } = await readReleases(await world.open());
      const containers = new Set(live?.services.map((one) => (one as typeof one & { container: string }).container));
      const versions = new Set(served.map((one) => secretsVolume(name, one.service, one.secretsVersion)));
      const tags = new Set(served.map(({ id, service }) => `${imageName(name, service)}:${id}`));
      const secrets = await list("volume", "ls", ...own, "--filter", "label=dory.secrets", ...names);
      const images = await list("images", "--format", "{{.Repository}}:{{.Tag}}", imageName(name, name));
      return [
        ...(await list("ps", "-a", ...own, "--format", "{{.Names}}")).filter((one) => !containers.has(one)),
        ...secrets.filter((one) => !versions.has(one)),
        ...images.filter((one) => !tags.has(one)),
        ...(await list("network", "ls", ...own, ...names)).filter((one) => !live || one !== applicationNetwork(name)),
        ...(live ? [] : await proxyLeftovers(readPort(world))),
      ];
    },
  };
}

async function proxyLeftovers(port: number | undefined): Promise<string[]> {
  const networks = await list("network", "ls", "--filter", `name=^dory-${port}$`, ...names);
  return [...networks, ...(await list("ps", "-a", "--filter", `name=^dory-proxy-${port}$`, "--format", "{{.Names}}"))];
}

const readPort = (world: Pick<World, "attempt">) => world.attempt({}).options.port;

/** In a swarm of the real engine; the image is one that a registry has. */
export async function swarmWorld(image: string): Promise<World> {
  const world = createWorld("swarm", swarmTarget, image, 18_300);
  const { name } = world.application;
  const own = ["--filter", `label=${ownLabel}=${name}`, ...names];
  return {
    ...world,
    crash: () => crash(`label=com.docker.swarm.service.name=${serviceName(name, name)}`),
    async leftovers() {
      const { live, served } = await readReleases(await world.open());
      const services = live ? [name, proxyService(readPort(world) ?? 0)].map((one) => serviceName(name, one)) : [];
      const secrets = new Set(served.map((one) => secretName(name, one.service, "DATABASE_URL", one.secretsVersion)));
      return [
        ...(await list("service", "ls", ...own)).filter((one) => !services.includes(one)),
        ...(await list("secret", "ls", ...own)).filter((one) => !secrets.has(one)),
        ...(live ? [] : await list("config", "ls", ...own)),
      ];
    },
  };
}

/** The live release, and the objects of each release that can be restored. */
async function readReleases(driver: Driver) {
  const releases = await driver.history();
  const served = listServed(releases).flatMap(({ id, services }) =>
    services.map((one) => ({ id, service: one.name, secretsVersion: one.secretsVersion ?? "" })),
  );
  return { live: findLive(releases), served };
}
