import { createServer } from "node:net";
import { show } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { liveOf, servedOf } from "../release.ts";
import { type Driver, healthPath, type Options, type Target } from "../target.ts";
import { fetchImage, observeContainer } from "./container.ts";
import { docker, engineHost } from "./docker.ts";
import { leaseOf } from "./lease.ts";
import { askProxy, ensureProxy, leaveProxies, urlOf } from "./proxy.ts";
import { dataOf, pruneContainers, pruneImages, pruneSecrets, removeData, removeImages } from "./prune.ts";
import { planRelease, putSecrets, start } from "./start.ts";
import {
  type Address,
  type EngineRelease,
  forget,
  lookAtState,
  otherSlot,
  readState,
  switchTo,
  writeReleases,
} from "./state.ts";

/** One engine: this machine's, or another's over ssh. */
export const dockerTarget: Target = {
  needsRegistry: false,
  can: {
    ...{ services: true, port: true, domain: true, files: true, tags: true },
    replicas: "One engine runs one of each service. For replicas, publish with --to swarm.",
    autoscale: "One engine runs one of each service. To scale by itself, publish with --to kubernetes or cloud-run.",
  },
  open: async (application) => engineDriver(application, await engineHost()),
};

function engineDriver(application: Application, host: string | undefined): Driver<EngineRelease> {
  const { name } = application;
  const lease = leaseOf(name);
  return {
    host,
    paceMs: 300,

    async check({ port, domain }) {
      if (domain === undefined && host === undefined) await refuseIfTaken(name, port);
      for (const { image, name } of application.services) if (image) await fetchImage(name, image);
    },

    lock: lease.lock,

    history: async () => (await (lease.current ? readState(lease.current, name) : lookAtState(name))).releases,
    record: (releases) => writeReleases(lease.held, name, releases),

    async plan(attempt, before, id) {
      const live = liveOf(before);
      const address = addressFor(attempt.options, live, host);
      return planRelease(attempt, live, { id, address, slot: live ? otherSlot(live.slot) : "blue" });
    },

    putSecrets: (release, values) => putSecrets(name, release, values),

    async apply(release, before) {
      // What a publisher that was cut off did not remove may be in the same slot, and would get requests until it is.
      await pruneContainers(name, liveOf(before));
      await start(name, release);
    },

    async observe({ services, address, slot }, lines = 0) {
      const seen = await Promise.all(
        services.map((service) => observeContainer(service.name, service.container, lines)),
      );
      const { status, slot: answering, body } = await askProxy(address, host, healthPath(application));
      return {
        services: services.map((service, index) => ({
          name: service.name,
          wanted: 1,
          ...(seen[index] ? { image: service.image } : {}),
        })),
        instances: seen.filter((one) => one !== undefined),
        outside: { status, body, isCurrent: answering === slot },
      };
    },

    async switchTo({ address, slot, services }) {
      await ensureProxy(lease.held, name, address, services[0]?.port ?? 3000);
      for (const { container } of services) await docker(["update", "--restart", "unless-stopped", container]);
      await switchTo(lease.held, name, slot);
    },

    async revert(failed, live) {
      if (live) await switchTo(lease.held, name, live.slot);
      await pruneContainers(name, live);
      await leaveProxies(lease.held, name, live?.address);
      if (servedOf(await this.history()).length === 0) await removeData(name, failed);
    },

    async prune(releases, withSecrets) {
      const live = liveOf(releases);
      await pruneContainers(name, live);
      await pruneSecrets(name, withSecrets);
      await leaveProxies(lease.held, name, live?.address);
      await pruneImages(name, releases);
    },

    url: async ({ address }) => urlOf(address, host),

    async logs({ services }, { isFollowing, lines }) {
      const how = ["--tail", String(lines), ...(isFollowing ? ["--follow"] : [])];
      const codes = services.map(({ container }) => show("docker", ["logs", ...how, container]));
      return Math.max(...(await Promise.all(codes)));
    },

    data: async () => (await dataOf(name)).map((volume) => `volume ${volume}`),

    async remove(isDataDeleted) {
      const services = new Set([
        ...(await this.history()).flatMap(({ services }) => services.map(({ name }) => name)),
        ...application.services.map(({ name }) => name),
      ]);
      await pruneContainers(name, undefined);
      await leaveProxies(lease.held, name, undefined);
      await pruneSecrets(name, []);
      await removeImages(name, [...services]);
      if (isDataDeleted) await removeData(name);
      await forget(lease.held, name);
    },
  };
}

/** What was asked for, else what it has, else port 8080. */
function addressFor({ domain, port }: Options, live: EngineRelease | undefined, host: string | undefined): Address {
  if (domain !== undefined) return { domain, port: 443, isPublic: true };
  if (port === undefined && live) return live.address;
  return { port: port ?? 8080, isPublic: host !== undefined };
}

/** A port that something else has is reported before anything is built, where that can be seen. */
async function refuseIfTaken(application: string, wanted: number | undefined): Promise<void> {
  const port = wanted ?? 8080;
  if (await isFree(port)) return;
  // It may be the application's own; or it has another one, and keeps that.
  const live = liveOf((await lookAtState(application)).releases);
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
