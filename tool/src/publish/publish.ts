import { Fault } from "../fault.ts";
import { type Application, isPostgres, type Service } from "./application.ts";
import { commitOf } from "./commit.ts";
import { imageOf } from "./engine/container.ts";
import { checkEngine, inspect } from "./engine/docker.ts";
import { holderName } from "./engine/lease.ts";
import { buildImage, checkBuildable, pushImage } from "./image.ts";
import { changesOf, type Plan, printPlan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { liveOf, type Release, type ReleasedService } from "./release.ts";
import { refuseSecretsIn } from "./scan.ts";
import { checkSecrets, secretsOf, versionOf } from "./secrets.ts";
import { smoke } from "./smoke.ts";
import type { Attempt, Options, Published, Target } from "./target.ts";

export interface Publishing {
  application: Application;
  target: Target;
  targetName: string;
  /** Where the values of secrets come from. */
  given: NodeJS.ProcessEnv;
  registry?: string;
  isPlanOnly: boolean;
  isSmoked: boolean;
  options: Options;
  progress: Progress;
}

/** From the Dockerfile to a release that serves. Gives nothing if only the plan was asked for. */
export async function publish(publishing: Publishing): Promise<Published | undefined> {
  const { application, target, options, progress, isPlanOnly } = publishing;
  await progress.step("preflight", "Check everything first", () => preflight(publishing));
  const { releases } = await target.look(application);
  const live = liveOf(releases);
  const plan = await planOf(publishing, live);
  progress.note(printPlan(plan));
  progress.event("plan", { ...plan });
  if (isPlanOnly) {
    const rendered = await target.render?.(await attemptOf(publishing, plan, plannedImages(application)));
    if (rendered) progress.note(rendered);
    return undefined;
  }
  const images = await prepareImages(publishing, releases);
  if (options.interrupted.aborted) throw new Fault("interrupted", "Interrupted; nothing was changed.");
  return target.release({ ...(await attemptOf(publishing, plan, images)), progress });
}

/** Before anything changes. */
async function preflight({ application, given, target, registry, options }: Publishing): Promise<void> {
  checkBuildable(application);
  checkSecrets(application, given);
  for (const service of application.services) {
    refuseSharedFile(service, given, target, options);
    if (service.folder !== undefined) await refuseSecretsIn(service.folder, secretsOf(service, given));
  }
  if (target.needsRegistry && registry === undefined)
    throw new Fault(
      "no_registry",
      'Images reach this target through a registry. Name it with --registry, or as "registry" in "publish" of dory.json.',
    );
  await checkEngine();
  await target.check(application, options);
}

/** SQLite is a file on one machine: two containers of a service would have two of them, and some platforms keep none. */
function refuseSharedFile(
  { name, request, env, secrets }: Service,
  given: NodeJS.ProcessEnv,
  { losesFiles = false }: Target,
  { replicas = 1 }: Options,
): void {
  if (!request || (replicas < 2 && !losesFiles)) return;
  const url = secrets.includes("DATABASE_URL") ? given["DATABASE_URL"] : env["DATABASE_URL"];
  if (isPostgres(url)) return;
  if (losesFiles)
    throw new Fault(
      "sqlite_lost",
      `${name} keeps its data in an SQLite file, which would be gone with the next release there. Set DATABASE_URL to a postgres: URL (as a secret).`,
    );
  throw new Fault(
    "sqlite_replicas",
    `${name} keeps its data in an SQLite file, which ${replicas} replicas cannot share. Set DATABASE_URL to a postgres: URL (as a secret), or publish one.`,
  );
}

async function planOf(
  { application, targetName, given, options }: Publishing,
  live: Release | undefined,
): Promise<Plan> {
  const { commit, isDirty } = await commitOf(application.folder);
  return {
    application: application.name,
    target: targetName,
    commit,
    isDirty,
    replicas: options.replicas ?? live?.replicas ?? 1,
    live: live?.id ?? null,
    services: application.services.map((service) => {
      const planned = configured(service, given);
      return {
        name: service.name,
        from: service.folder === undefined ? `image ${service.image}` : "built from its Dockerfile",
        port: service.port,
        env: Object.keys(service.env),
        secrets: { names: service.secrets, version: planned.secretsVersion },
        changes: changesOf(
          live?.services.find(({ name }) => name === service.name),
          planned,
        ),
      };
    }),
  };
}

function configured(service: Service, given: NodeJS.ProcessEnv): Omit<ReleasedService, "image"> {
  const { name, port, env, secrets, folder } = service;
  const secretsVersion = secrets.length > 0 ? versionOf(secretsOf(service, given)) : null;
  return { name, isBuilt: folder !== undefined, port, env, secrets, secretsVersion };
}

/** Builds, tries and pushes what is built; gives each service's image by digest. */
async function prepareImages(
  { application, given, target, registry, isSmoked, options, progress }: Publishing,
  releases: Release[],
): Promise<string[]> {
  const images: string[] = [];
  for (const service of application.services) {
    const { folder, image = "" } = service;
    if (folder === undefined) {
      images.push(target.needsRegistry ? image : (await imageOf(image)).Id);
      continue;
    }
    const built = await progress.step("build", `Build ${service.name}`, (update) =>
      buildImage(application, { ...service, folder }, update, options.interrupted),
    );
    if (isSmoked && !(await wasLive(built, releases)))
      await progress.step("smoke", `Try ${service.name} as it will run`, (update) =>
        smoke(service, built, secretsOf(service, given), update, options.interrupted),
      );
    images.push(
      registry === undefined
        ? built
        : await progress.step("push", `Push ${service.name}`, () =>
            pushImage(registry, application.name, service.name, built),
          ),
    );
  }
  return images;
}

/** An image that served before was tried before. */
async function wasLive(id: string, releases: Release[]): Promise<boolean> {
  const good = releases.filter(({ status }) => status === "live" || status === "replaced");
  const images = new Set(good.flatMap(({ services }) => services.map(({ image }) => image)));
  const found = await Promise.all([...images].map((image) => inspect<{ Id: string }>("image", image)));
  return found.some((image) => image?.Id === id);
}

const plannedImages = ({ services }: Application) =>
  services.map(({ image, name }) => image ?? `${name}@sha256:${"0".repeat(64)}`);

async function attemptOf(
  { application, given, options }: Publishing,
  { commit, isDirty }: Plan,
  images: string[],
): Promise<Omit<Attempt, "progress">> {
  const services = application.services.map((service, index) => ({
    ...configured(service, given),
    image: images[index] ?? "",
  }));
  const secrets = Object.fromEntries(application.services.map((service) => [service.name, secretsOf(service, given)]));
  const release = { at: new Date().toISOString(), by: holderName(), commit, isDirty, services };
  return { application, release, secrets, options };
}
