import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { refuseUnpinned } from "../pinned.ts";
import { nextId, releaseBefore, retire } from "../release.ts";
import type { Target } from "../target.ts";
import { deleteRevision, deploy, gcloud, type Place, placeOf } from "./gcloud.ts";
import { releaseTo, switchTo } from "./releasing.ts";
import { findService, releasesIn, revisionName, revisionsOf, servingRevision, tagOf } from "./service.ts";

/** A service on Cloud Run, in the project and region that gcloud is set to. */
export const cloudRunTarget: Target = {
  needsRegistry: true,
  losesFiles: true,

  async check(application, { port, domain }) {
    const { name, services } = application;
    if (services.length > 1)
      throw new Fault(
        "one_service",
        "Services on Cloud Run cannot switch together. Publish each from its own folder, or all with --to docker, swarm or kubernetes.",
      );
    if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) || name.length > 40)
      throw new Fault(
        "cloud_run_name",
        `"${name}" cannot name a service: a letter, then letters, digits and dashes, at most 40.`,
      );
    refuseUnpinned(application);
    if (port !== undefined || domain !== undefined)
      throw new Fault("usage", "Cloud Run gives the address. Leave --port out; for --domain, map it with gcloud.");
    if (services[0] && Object.hasOwn(services[0].env, "PORT"))
      throw new Fault("usage", "Cloud Run sets PORT by itself. Take it out of env in dory.json.");
    const place = await placeOf();
    const found = await findService(place, name);
    if (found && (await lookAt(place, application)).length === 0)
      throw new Fault(
        "name_taken",
        `The project has another service ${name} already. Choose another name, or another project.`,
      );
  },

  async look(application) {
    const place = await placeOf();
    const url = (await findService(place, application.name))?.status?.url;
    const releases = await lookAt(place, application);
    return { releases, ...(url === undefined ? {} : { url }) };
  },

  async render({ application, release }) {
    const place = await placeOf();
    const id = nextId(await lookAt(place, application));
    const [service] = release.services;
    const secrets = service?.secrets.map((name) => [name, `${application.name}-${name}:VERSION`]) ?? [];
    const isFirst = (await findService(place, application.name)) === undefined;
    const args = deploy(place, {
      ...{ service: application.name, image: service?.image ?? "", port: service?.port ?? 3000, isFirst },
      ...{ suffix: id, tag: tagOf(id), variablesFile: "VARIABLES", secrets: Object.fromEntries(secrets) },
    });
    return `gcloud ${args.join(" ")}`;
  },

  async release(attempt) {
    const place = await placeOf();
    const published = await releaseTo(place, attempt);
    await sweep(place, attempt.application).catch(({ message }: Error) =>
      attempt.progress.note(`Not tidied up: ${message}`),
    );
    return published;
  },

  /** Every revision has its image, its variables and its versions of secrets: only the traffic moves. */
  async rollback(application, wanted, options, progress) {
    const place = await placeOf();
    const found = releaseBefore(await lookAt(place, application), wanted);
    const before = servingRevision(await findService(place, application.name));
    const revision = revisionName(application.name, found.id);
    const url = await switchTo(place, { application, options, progress }, revision, before);
    return { release: { ...found, status: "live" }, url };
  },

  async status(application) {
    const place = await placeOf();
    const found = await findService(place, application.name);
    const live = (await lookAt(place, application)).find(({ status }) => status === "live");
    if (!live) return [`${application.name} is not published here.`];
    const traffic = found?.status?.traffic?.filter(({ percent }) => percent) ?? [];
    const lines = traffic.map(({ revisionName, percent }) => `  ${revisionName}: ${percent}% of the traffic`);
    return [`${application.name} ${live.id} at ${found?.status?.url}, since ${live.at}`, ...lines];
  },

  async logs({ name }, { isFollowing, lines }) {
    const { project, region } = await placeOf();
    const at = ["--project", project, "--region", region];
    const read = ["run", "services", "logs", "read", name, "--limit", String(lines), ...at];
    return gcloud.show(isFollowing ? ["beta", "run", "services", "logs", "tail", name, ...at] : read);
  },
};

async function lookAt(place: Place, { name }: Application) {
  const found = await findService(place, name);
  return found ? releasesIn(await revisionsOf(place, name), found) : [];
}

/** Removes the revisions of releases that are not kept; their secrets' versions cost little and may be shared. */
async function sweep(place: Place, application: Application): Promise<void> {
  const releases = await lookAt(place, application);
  const kept = retire(releases);
  const old = releases.filter((release) => release.status !== "live" && !kept.includes(release));
  for (const { id } of old) await gcloud.run(deleteRevision(place, revisionName(application.name, id)));
}
