import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { findLive, listServed, retire } from "../release.ts";
import { type Driver, healthPath, isScaled, type Target, toScale } from "../target.ts";
import {
  deleteRevision,
  deleteSecret,
  deleteService,
  deployRevision,
  gcloud,
  ignoreMissing,
  moveTraffic,
  type Place,
  readLogs,
  readPlace,
} from "./gcloud.ts";
import { removeLeft, removeRuns, runMigrations } from "./migrate.ts";
import { observe, startRevision, untag } from "./revision.ts";
import { destroyVersions, putSecrets, secretName } from "./secrets.ts";
import {
  type CloudRunRelease,
  findService,
  findServing,
  readReleases,
  readRevisions,
  revisionName,
  tagName,
} from "./service.ts";

/** A service on Cloud Run, in the project and region that gcloud is set to. */
export const cloudRunTarget: Target = {
  needsRegistry: true,
  can: {
    services:
      "Services on Cloud Run cannot switch together. Publish each from its own folder, or all with --to docker, swarm or kubernetes.",
    replicas: true,
    autoscale: true,
    port: "Cloud Run chooses the address. Leave --port out.",
    domain: "Cloud Run chooses the address. For a domain, map it with gcloud.",
    files: "An instance's files are lost with the next release.",
    tags: "Cloud Run needs an image by its digest.",
  },
  async open(application) {
    return createCloudRunDriver(application, await readPlace());
  },
};

/** A revision has its own image, variables and versions of secrets; a release moves the traffic to it. */
function createCloudRunDriver(application: Application, place: Place): Driver<CloudRunRelease> {
  const { name } = application;
  const path = healthPath(application);
  let scale: { min: number; max: number } | undefined;
  /** The release that is restored. */
  let restoring: string | undefined;
  return {
    place: `project ${place.project}, region ${place.region}`,
    paceMs: 1000,

    async check() {
      refuseUnfit(application);
      if ((await findService(place, name)) && (await this.history()).length === 0)
        throw new Fault(
          "name_taken",
          `The project has another service ${name} already. Choose another name or another project.`,
        );
    },

    async history() {
      const found = await findService(place, name);
      return found ? readReleases(await readRevisions(place, name), found) : [];
    },

    /** A release that is restored unchanged is a revision that still exists. */
    async plan({ release, options }, before, id) {
      if (isScaled(options)) scale = toScale(options);
      const old = before.find((one) => one.id === release.restores);
      const isKept = old?.services[0]?.secretsVersion === release.services[0]?.secretsVersion;
      if (old && isKept) return { ...old, status: "pending" };
      return { secretVersions: {}, ...release, id, status: "pending" };
    },

    putSecrets: (release, values, live) => putSecrets(place, application, release, values, live),

    async migrate(release, _service, _live, update) {
      return runMigrations(place, name, release, { paceMs: this.paceMs, update });
    },

    async apply(release, before) {
      restoring = before.find(({ id }) => id === release.id)?.id;
      if (restoring !== undefined) return;
      const service = await findService(place, name);
      // A publisher that was cut off may have left the tag, and a replaced release with a tag counts as failed.
      await untag(place, service, name, findLive(before));
      await startRevision(place, release, name, service === undefined, scale);
    },

    observe: (release, lines = 0) =>
      observe(place, name, release, { path, lines, isRestoring: release.id === restoring }),

    async switchTo({ id }) {
      await gcloud.run(moveTraffic(place, name, revisionName(name, id)), { timeoutMs: 300_000 });
    },

    /** Without a live release, the service is new and can be deleted. */
    async revert(failed, live) {
      if (!live) {
        await gcloud.run(deleteService(place, name)).catch(ignoreMissing);
        await destroyVersions(place, Object.values(failed.secretVersions));
      } else if (findServing(await findService(place, name)) !== revisionName(name, live.id))
        await this.switchTo?.(live);
    },

    /** There is no lease, so what other publishers are about to release is left alone. */
    async prune(releases, withSecrets) {
      await removeLeft(place, name);
      const service = await findService(place, name);
      if (!service) return;
      await untag(place, service, name, findLive(releases));
      const all = await this.history();
      const kept = new Set(retire(all).map(({ id }) => id));
      const gone = all.filter(({ id, status }) => status !== "live" && !kept.has(id));
      for (const { id } of gone) await gcloud.run(deleteRevision(place, revisionName(name, id)));
      const needed = new Set(listVersions(listServed(withSecrets)));
      await destroyVersions(
        place,
        listVersions([...releases, ...gone]).filter((version) => !needed.has(version)),
      );
    },

    url: async () => (await findService(place, name))?.status?.url ?? "",
    logs: (_release, how) => gcloud.show(readLogs(place, name, how)),

    async render({ id, services: [service] }) {
      const secrets = service?.secrets.map((one) => [one, `${secretName(name, one)}:VERSION`]) ?? [];
      const isFirst = (await findService(place, name)) === undefined;
      const args = deployRevision(place, {
        service: name,
        image: service?.image ?? "",
        port: service?.port ?? 3000,
        isFirst,
        suffix: id,
        tag: tagName(id),
        variablesFile: "VARIABLES",
        secrets: Object.fromEntries(secrets),
        ...(scale ? { scale } : {}),
      });
      return `gcloud ${args.join(" ")}`;
    },

    data: async () => [],

    async remove() {
      const secrets = new Set((await this.history()).flatMap(({ services: [service] }) => service?.secrets ?? []));
      await gcloud.run(deleteService(place, name)).catch(ignoreMissing);
      await removeRuns(place, name);
      for (const secret of [...secrets, ...(application.services[0]?.secrets ?? [])])
        await gcloud.run(deleteSecret(place, secretName(name, secret))).catch(ignoreMissing);
    },
  };
}

function refuseUnfit({ name, services: [service] }: Application): void {
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) || name.length > 40)
    throw new Fault(
      "cloud_run_name",
      `"${name}" cannot name a service: a letter, then letters, digits and dashes, at most 40.`,
    );
  if (service && Object.hasOwn(service.env, "PORT"))
    throw new Fault("usage", "Cloud Run sets PORT itself. Remove it from env in dory.json.");
}

const listVersions = (releases: CloudRunRelease[]) => releases.flatMap((one) => Object.values(one.secretVersions));
