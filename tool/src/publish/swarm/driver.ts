import { show } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { fetchImage } from "../engine/container.ts";
import { docker, dockerIfPossible, dockerLines } from "../engine/docker.ts";
import { createLease } from "../engine/lease.ts";
import { swarmHistory } from "../engine/names.ts";
import { readReleases, readReleasesWithoutLease, removeState, writeReleases } from "../engine/state.ts";
import { findLive, listServed, markRemoved } from "../release.ts";
import { type Driver, healthPath, type Target } from "../target.ts";
import { checkNames, findManager, type Manager } from "./manager.ts";
import { runMigrations } from "./migrate.ts";
import { ownLabel, serviceName } from "./names.ts";
import { observe } from "./observe.ts";
import { planRelease } from "./plan.ts";
import { ensureProxy, findUrl } from "./proxy.ts";
import type { SwarmRelease } from "./release.ts";
import { putSecrets } from "./secrets.ts";
import { deployRelease, deployServices, findOwnServices, listServices, removeOthers } from "./service.ts";
import { spreadTasks } from "./spread.ts";

/** A swarm of engines, through one of its managers. */
export const swarmTarget: Target = {
  needsRegistry: true,
  can: {
    services: true,
    replicas: true,
    port: true,
    files: true,
    tags: true,
    autoscale: "A swarm does not autoscale. Set a number with --replicas.",
    domain:
      "In a swarm every node listens, so the certificate belongs on the load balancer. Publish with --port, and point the load balancer to it.",
  },
  async open(application) {
    const manager = await findManager();
    return { ...createSwarmDriver(application, manager), host: manager.host };
  },
};

function createSwarmDriver(application: Application, manager: Manager): Driver<SwarmRelease> {
  const { name } = application;
  const historyName = swarmHistory(name);
  const lease = createLease(name);
  return {
    paceMs: 1000,

    async check() {
      checkNames(application);
      for (const { image, name } of application.services) if (image) await fetchImage(name, image);
      await findOwnServices(
        name,
        application.services.map((service) => serviceName(name, service.name)),
      );
      if ((await this.history()).length === 0) await refuseOtherManager(name);
    },

    lock: lease.lock,
    findHolder: lease.findHolder,

    history: () =>
      lease.current
        ? readReleases<SwarmRelease>(lease.current, historyName)
        : readReleasesWithoutLease<SwarmRelease>(historyName),
    neighbours: () => readReleasesWithoutLease(name),
    record: (releases) => writeReleases(lease.held, historyName, releases),
    plan: (attempt, before, id) => planRelease({ ...attempt, manager }, findLive(before), id),

    async putSecrets(release, values) {
      for (const service of release.services) await putSecrets(name, service, values?.[service.name]);
      return release;
    },

    async startNeeded({ services }) {
      const needed = services.filter(({ isBuilt }) => !isBuilt);
      await deployServices(name, Object.fromEntries(needed.map((one) => [one.name, one.specification])));
    },

    async migrate({ services }, service) {
      const found = services.find((one) => one.name === service);
      return found ? runMigrations(name, found, this.paceMs) : { isDone: true, lines: [] };
    },

    async apply(release) {
      const [first] = release.services;
      const { name: service = "", port: servicePort = 3000 } = first ?? {};
      await ensureProxy({ application: name, port: release.port, service, servicePort });
      await deployRelease(name, release);
    },

    observe: (release, lines = 0) => observe(name, release, { manager, path: healthPath(application), lines }),

    async revert(_failed, live) {
      if (live) await deployRelease(name, live);
      await removeOthers(name, live);
    },

    async prune(releases, withSecrets) {
      const live = findLive(releases);
      await removeOthers(name, live);
      await pruneSecrets(name, withSecrets);
      if (live) await spreadTasks(name, live);
    },

    url: ({ port }) => findUrl(name, port, manager),

    async logs({ services }, { isFollowing, lines }) {
      const how = ["--tail", String(lines), ...(isFollowing ? ["--follow"] : [])];
      const codes = services.map((service) =>
        show("docker", ["service", "logs", ...how, serviceName(name, service.name)]),
      );
      return Math.max(...(await Promise.all(codes)));
    },

    data: async () => (await listData(name)).map((volume) => `volume ${volume} on this node`),

    async remove(isDataDeleted) {
      await removeOthers(name, undefined);
      await pruneSecrets(name, []);
      if (isDataDeleted) for (const volume of await listData(name)) await docker(["volume", "rm", volume]);
      const left = (await listData(name)).length > 0 ? markRemoved(await this.history()) : [];
      await (left.length > 0 ? writeReleases(lease.held, historyName, left) : removeState(lease.held, historyName));
    },
  };
}

/** The volumes with an application's data, on this node. */
const listData = (application: string) =>
  dockerLines(["volume", "ls", "--filter", `label=com.docker.stack.namespace=${application}`, "--format", "{{.Name}}"]);

/** The history is on the manager that published; another manager cannot roll back. */
async function refuseOtherManager(application: string): Promise<void> {
  if ((await listServices(application)).length > 0)
    throw new Fault(
      "records_elsewhere",
      `${application} runs in this swarm, but was published through another manager, which has its history. Set DOCKER_HOST to that manager.`,
    );
}

/** Removes secrets that no kept release needs, and configs. The swarm refuses to remove those in use. */
async function pruneSecrets(application: string, releases: SwarmRelease[]): Promise<void> {
  const specifications = listServed(releases).flatMap(({ services }) =>
    services.map(({ specification }) => specification),
  );
  const secrets = new Set(specifications.flatMap(({ secrets = [] }) => secrets.map(({ source }) => source)));
  const mine = ["--filter", `label=${ownLabel}=${application}`, "--format", "{{.Name}}"];
  for (const name of await dockerLines(["secret", "ls", ...mine]))
    if (!secrets.has(name)) await dockerIfPossible(["secret", "rm", name]);
  for (const name of await dockerLines(["config", "ls", ...mine])) await dockerIfPossible(["config", "rm", name]);
}
