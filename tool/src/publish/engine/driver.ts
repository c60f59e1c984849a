import { createServer } from "node:net";
import { show } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { findLive, listServed, markRemoved } from "../release.ts";
import { type Driver, healthPath, type Options, type Target } from "../target.ts";
import { fetchImage, findContainers, observeContainer } from "./container.ts";
import { docker, findEngineHost } from "./docker.ts";
import { createLease } from "./lease.ts";
import { swarmHistory } from "./names.ts";
import { askProxy, ensureProxy, removeFromProxies, toUrl } from "./proxy.ts";
import { listData, pruneContainers, pruneImages, pruneSecrets, removeData, removeImages } from "./prune.ts";
import { planRelease, putSecrets, runMigrations, startRelease } from "./start.ts";
import {
  type Address,
  type EngineRelease,
  readReleases,
  readReleasesWithoutLease,
  removeState,
  switchTo,
  toLabel,
  writeReleases,
} from "./state.ts";

/** One engine: on this machine, or on another one over ssh. */
export const dockerTarget: Target = {
  needsRegistry: false,
  can: {
    services: true,
    port: true,
    domain: true,
    files: true,
    tags: true,
    replicas: "An engine runs one instance of each service. For replicas, publish with --to swarm.",
    autoscale: "An engine runs one instance of each service. To autoscale, publish with --to kubernetes or cloud-run.",
  },
  open: async (application) => createEngineDriver(application, await findEngineHost()),
};

function createEngineDriver(application: Application, host: string | undefined): Driver<EngineRelease> {
  const { name } = application;
  const lease = createLease(name);
  /** The release of which some services were started. */
  let begun: string | undefined;
  return {
    host,
    paceMs: 500,

    async check({ port, domain }) {
      if (domain === undefined && host === undefined) await refuseIfTaken(name, port);
      for (const { image, name } of application.services) if (image) await fetchImage(name, image);
    },

    lock: lease.lock,
    findHolder: lease.findHolder,

    history: () => (lease.current ? readReleases(lease.current, name) : readReleasesWithoutLease(name)),
    neighbours: () => readReleasesWithoutLease(swarmHistory(name)),
    record: (releases) => writeReleases(lease.held, name, releases),

    async plan(attempt, before, id) {
      const live = findLive(before);
      const address = chooseAddress(attempt.options, live, host);
      return planRelease(attempt, live, { id, address });
    },

    putSecrets: (release, values) => putSecrets(name, release, values),

    async startNeeded(release, before) {
      await pruneContainers(name, findLive(before), lease.held);
      await startRelease(name, release, lease.held, ({ isBuilt }) => !isBuilt);
      begun = release.id;
    },

    async migrate(release, service, live) {
      await lease.held.check();
      return runMigrations(name, release, service, begun === release.id ? release : live);
    },

    async apply(release, before) {
      if (begun === release.id) return startRelease(name, release, lease.held, ({ isBuilt }) => isBuilt);
      await pruneContainers(name, findLive(before), lease.held);
      await startRelease(name, release, lease.held);
    },

    async observe(release, lines = 0) {
      const { services, address } = release;
      const { status, label, body } = await askProxy(address, host, healthPath(application));
      const isCurrent = label === toLabel(release);
      // The health check of the first service would get the same answer, from a process in the container.
      const isHealthy = isCurrent && status === 200 && application.services[0]?.request !== undefined;
      const containers = await findContainers(services.map(({ container }) => container));
      const found = await Promise.all(
        services.map(({ name }, index) =>
          observeContainer(name, containers[index], { lines, hasAnswered: isHealthy && index === 0 }),
        ),
      );
      return {
        services: services.map(({ name, image }, index) => ({ name, wanted: 1, ...(found[index] ? { image } : {}) })),
        instances: found.filter((one) => one !== undefined),
        outside: { status, body, isCurrent },
      };
    },

    async switchTo(release) {
      const { address, services } = release;
      await ensureProxy(lease.held, name, { address, port: services[0]?.port ?? 3000, host });
      await docker(["update", "--restart", "unless-stopped", ...services.map(({ container }) => container)]);
      await switchTo(lease.held, name, toLabel(release));
    },

    async revert(failed, live) {
      await lease.held.check();
      if (live) await switchTo(lease.held, name, toLabel(live));
      await pruneContainers(name, live, lease.held);
      await removeFromProxies(lease.held, name, live?.address);
      if (listServed(await this.history()).length === 0) await removeData(name, failed);
    },

    async prune(releases, withSecrets) {
      const live = findLive(releases);
      await pruneContainers(name, live, lease.held);
      await pruneSecrets(name, withSecrets);
      await removeFromProxies(lease.held, name, live?.address);
      await pruneImages(name, releases);
    },

    url: async ({ address }) => toUrl(address, host),

    async logs({ services }, { isFollowing, lines }) {
      const how = ["--tail", String(lines), ...(isFollowing ? ["--follow"] : [])];
      const codes = services.map(({ container }) => show("docker", ["logs", ...how, container]));
      return Math.max(...(await Promise.all(codes)));
    },

    data: async () => (await listData(name)).map((volume) => `volume ${volume}`),

    async remove(isDataDeleted) {
      const services = new Set([
        ...(await this.history()).flatMap(({ services }) => services.map(({ name }) => name)),
        ...application.services.map(({ name }) => name),
      ]);
      await pruneContainers(name, undefined, lease.held);
      await removeFromProxies(lease.held, name, undefined);
      await pruneSecrets(name, []);
      await removeImages(name, [...services]);
      if (isDataDeleted) await removeData(name);
      const left = (await listData(name)).length > 0 ? markRemoved(await this.history()) : [];
      await (left.length > 0 ? writeReleases(lease.held, name, left) : removeState(lease.held, name));
    },
  };
}

/** The address that was asked for, or the current one, or port 8080. */
function chooseAddress({ domain, port }: Options, live: EngineRelease | undefined, host: string | undefined): Address {
  if (domain !== undefined) return { domain, port: 443, isPublic: true };
  if (port === undefined && live) return live.address;
  return { port: port ?? 8080, isPublic: host !== undefined };
}

/** Reports a port that is in use before anything is built, if the engine is on this machine. */
async function refuseIfTaken(application: string, wanted: number | undefined): Promise<void> {
  const port = wanted ?? 8080;
  if (await isFree(port)) return;
  // The application itself may listen on it, or keep another port.
  const live = findLive(await readReleasesWithoutLease(application));
  if (live && (wanted === undefined || wanted === live.address.port)) return;
  throw new Fault(
    "port_taken",
    `Something listens on port ${port} of this machine already. Choose another with --port.`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const found = await new Promise<boolean>((resolve) => {
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "EADDRINUSE"));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  server.close();
  return found;
}
