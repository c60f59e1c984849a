import { randomBytes } from "node:crypto";
import { type Fault, nothingChanged } from "../fault.ts";
import { checkAbilities } from "./abilities.ts";
import type { Application, Service } from "./application.ts";
import { readCommit } from "./commit.ts";
import { listUses } from "./connections.ts";
import { deploy, findUnchanged } from "./deploy.ts";
import { inspectImage } from "./engine/container.ts";
import { checkEngine, inspectAll } from "./engine/docker.ts";
import { type Confirm, collectFacts, type Facts } from "./facts.ts";
import { holderName, leaseHeldFault } from "./holder.ts";
import { type BuiltService, buildImage, checkBuildable, createBuildTag, removeBuildTags } from "./image.ts";
import { findNew, listMigrations, toRecord } from "./migrations.ts";
import { listChanges, type Plan, printPlan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { giveId, refuseOtherProject } from "./project.ts";
import { pushImage, pushProvenance } from "./push.ts";
import { findLive, listServed, nextId, type Release, type ReleasedService } from "./release.ts";
import { refuseSecrets } from "./scan.ts";
import { checkSecrets, hashSecrets, pickSecrets } from "./secrets.ts";
import { smoke } from "./smoke.ts";
import type { Attempt, Driver, Options, Published, Target } from "./target.ts";
import { listWarnings, warnOfMigrations } from "./warnings.ts";

export interface Publishing {
  application: Application;
  target: Target;
  targetName: string;
  /** Where the values of secrets come from. */
  given: NodeJS.ProcessEnv;
  registry?: string;
  isSmoked: boolean;
  /** Whether to release even if nothing changed. */
  isForced: boolean;
  options: Options;
  progress: Progress;
  /** Throws if what was planned before has changed. */
  confirm?: Confirm;
}

/** What a publish would do. */
export interface PlannedPublish {
  plan: Plan;
  /** The project, cluster or app. */
  place?: string;
  warnings: string[];
  /** The commands or manifests, if the plan does not show everything. */
  rendered?: string;
  facts: Facts;
}

/** From the Dockerfile to a live release: check → plan → build → smoke test → push → deploy. */
export async function publish(publishing: Publishing): Promise<Published> {
  const { application, progress, isForced, options, confirm } = publishing;
  const { driver, releases, key, plan, facts } = await prepare(publishing);
  await confirm?.(facts);
  await refuseIfHeld(driver, application, options);
  if (application.id === undefined)
    progress.note(
      `dory.json had no "id" and has one now: ${giveId(application)}. Commit dory.json: from here on, a clone without this id is refused as another project.`,
    );
  const build = createBuildTag();
  try {
    const images = await prepareImages(publishing, releases, build);
    if (options.interrupted.aborted) throw nothingChanged();
    const attempt = {
      ...createAttempt(publishing, plan, images, key),
      uses: listUses(
        application.services.filter(({ request }) => request !== undefined),
        facts.secrets,
        countMostReplicas(options, findLive(releases)),
      ),
      progress,
      isForced,
      ...(confirm && { confirm: (releases: Release[]) => confirm({ ...facts, releases }) }),
    };
    const already = isForced ? undefined : await findUnchanged(driver, attempt, releases);
    return already ?? (await deploy(driver, attempt));
  } finally {
    await removeBuildTags(application, build).catch(() => {});
  }
}

/** What a publish would do. Changes nothing. */
export async function planPublish(publishing: Publishing): Promise<PlannedPublish> {
  const { application, progress } = publishing;
  const { driver, releases, key, plan, warnings, facts } = await prepare(publishing);
  const attempt = createAttempt(publishing, plan, listPlannedImages(application), key);
  const release = await driver.plan(attempt, releases, nextId(releases));
  const rendered = await driver.render?.(release, attempt.secrets ?? {});
  if (rendered) progress.note(rendered);
  return { plan, ...(driver.place && { place: driver.place }), warnings, ...(rendered && { rendered }), facts };
}

interface Prepared extends Pick<PlannedPublish, "plan" | "warnings" | "facts"> {
  driver: Driver;
  releases: Release[];
  /** The key of the hash that names versions of secrets. */
  key: string;
}

/** Checks everything, and reports the plan. */
async function prepare(publishing: Publishing): Promise<Prepared> {
  const { application, given, progress, options } = publishing;
  const driver = await progress.step("preflight", "Check everything first", () => preflight(publishing));
  const releases = await driver.history();
  const neighbours = releases.length === 0 ? await driver.neighbours?.() : [];
  refuseOtherProject(application, [...(neighbours ?? []), ...releases], options.isTakingOver);
  const key = releases.findLast(({ secretsKey }) => secretsKey)?.secretsKey ?? randomBytes(32).toString("hex");
  const plan = await makePlan(publishing, findLive(releases), key);
  if (driver.place) progress.note(`To ${driver.place}:`);
  progress.note(printPlan(plan));
  progress.event("plan", { ...plan });
  const secrets = pickAllSecrets(application, given);
  const live = findLive(releases);
  const replicas = countMostReplicas(options, live);
  const warnings = [
    ...listWarnings(application, { engineHost: driver.host, domain: options.domain, secrets, replicas, live }),
    ...warnOfMigrations(plan),
  ];
  for (const text of warnings) progress.note(`Warning: ${text}`);
  const facts = collectFacts(driver, application, releases, secrets);
  return { driver, releases, key, plan, warnings, facts };
}

/** Checks that change nothing. */
async function preflight(publishing: Publishing): Promise<Driver> {
  const { application, given, target, registry, options } = publishing;
  checkBuildable(application);
  checkSecrets(application, given);
  listMigrations(application, given);
  checkAbilities(target, application, options, { given, registry });
  for (const service of application.services)
    if (service.folder !== undefined) await refuseSecrets(service.folder, pickSecrets(service, given));
  await checkEngine();
  const driver = await target.open(application);
  await driver.check(options);
  return driver;
}

/** Before anything is built: building, testing and pushing would be for nothing. */
async function refuseIfHeld(driver: Driver, { name }: Application, { isWaiting }: Options): Promise<void> {
  const holder = isWaiting ? undefined : await driver.findHolder?.();
  if (holder !== undefined) throw leaseHeldFault(name, holder);
}

async function makePlan(
  { application, targetName, given, options }: Publishing,
  live: Release | undefined,
  key: string,
): Promise<Plan> {
  const { commit, isDirty } = await readCommit(application.folder);
  const migrations = listMigrations(application, given);
  return {
    application: application.name,
    target: targetName,
    commit,
    isDirty,
    replicas: options.replicas ?? live?.replicas ?? 1,
    live: live?.id ?? null,
    services: application.services.map((service) => {
      const planned = configureService(service, given, key);
      return {
        name: service.name,
        from: service.folder === undefined ? `image ${service.image}` : "built from its Dockerfile",
        port: service.port,
        env: Object.keys(service.env),
        secrets: { names: service.secrets, version: planned.secretsVersion },
        changes: listChanges(
          live?.services.find(({ name }) => name === service.name),
          planned,
        ),
        migrations: findNew(service.name, migrations.get(service.name) ?? [], live),
      };
    }),
  };
}

function configureService(service: Service, given: NodeJS.ProcessEnv, key: string): Omit<ReleasedService, "image"> {
  const { name, port, env, secrets, folder } = service;
  const secretsVersion = secrets.length > 0 ? hashSecrets(pickSecrets(service, given), key) : null;
  return { name, isBuilt: folder !== undefined, port, env, secrets, secretsVersion };
}

/** Builds, tests and pushes images; returns each service's image by digest. */
async function prepareImages(
  { application, given, target, registry, isSmoked, options, progress }: Publishing,
  releases: Release[],
  build: string,
): Promise<string[]> {
  const images: string[] = [];
  for (const service of application.services) {
    const { folder, image = "" } = service;
    if (folder === undefined) {
      images.push(target.needsRegistry ? image : (await inspectImage(image)).Id);
      continue;
    }
    const built = await progress.step("build", `Build ${service.name}`, (update) =>
      buildImage(application, { ...service, folder }, build, update, options.interrupted),
    );
    if (isSmoked && !(await wasLive(built, releases)))
      await progress.step("smoke", `Test ${service.name}`, (update) =>
        smoke(service, built, pickSecrets(service, given), update, options.interrupted),
      );
    images.push(
      registry === undefined
        ? built
        : await progress.step("push", `Push ${service.name}`, () =>
            push(registry, application.name, { ...service, folder }, built, options, progress),
          ),
    );
  }
  return images;
}

async function push(
  registry: string,
  application: string,
  service: BuiltService,
  built: string,
  { interrupted }: Options,
  progress: Progress,
): Promise<string> {
  const pushed = await pushImage(registry, application, service.name, built);
  await pushProvenance(service, pushed, interrupted).catch((error: Fault) => {
    if (error.code === "interrupted") throw error;
    progress.note(`${service.name} has no provenance in the registry: ${error.message}`);
  });
  return pushed;
}

/** An image that was live before was tested before. */
async function wasLive(id: string, releases: Release[]): Promise<boolean> {
  const images = new Set(listServed(releases).flatMap(({ services }) => services.map(({ image }) => image)));
  return (await inspectAll<{ Id: string }>("image", [...images])).some((image) => image.Id === id);
}

/** How many containers a service may get. */
const countMostReplicas = ({ autoscale, replicas }: Options, live: Release | undefined) =>
  autoscale?.max ?? replicas ?? live?.scale?.max ?? live?.replicas ?? 1;

const listPlannedImages = ({ services }: Application) =>
  services.map(({ image, name }) => image ?? `${name}@sha256:${"0".repeat(64)}`);

function createAttempt(
  { application, given, options }: Publishing,
  { commit, isDirty, services: planned }: Plan,
  images: string[],
  secretsKey: string,
): Omit<Attempt, "progress"> {
  const services = application.services.map((service, index) => ({
    ...configureService(service, given, secretsKey),
    image: images[index] ?? "",
  }));
  const project = application.id === undefined ? {} : { project: application.id };
  const migrations = toRecord(listMigrations(application, given), planned);
  const made = { at: new Date().toISOString(), by: holderName(), ...project, commit, isDirty };
  const release = { ...made, services, secretsKey, ...migrations };
  return { application, release, secrets: pickAllSecrets(application, given), options };
}

const pickAllSecrets = ({ services }: Application, given: NodeJS.ProcessEnv) =>
  Object.fromEntries(services.map((service) => [service.name, pickSecrets(service, given)]));
