import { Fault } from "../../fault.ts";
import { isPostgres, type Service } from "../application.ts";
import { inspectImage } from "../engine/container.ts";
import { inspect } from "../engine/docker.ts";
import { dataVolume } from "../engine/names.ts";
import type { ReleasedService } from "../release.ts";
import type { Attempt } from "../target.ts";
import { chooseUser } from "../users.ts";
import { findDataNode, type Manager } from "./manager.ts";
import type { SwarmRelease, SwarmService } from "./release.ts";
import { type Specification, type SpecificationInput, specifyService } from "./specification.ts";

/** The release as it will be recorded. A restored release already has its specifications. */
export async function planRelease(attempt: Planned, live: SwarmRelease | undefined, id: string): Promise<SwarmRelease> {
  const { release, options } = attempt;
  const { replicas: recorded, services: wanted } = release as Omit<SwarmRelease, "services"> & typeof release;
  const replicas = options.replicas ?? recorded ?? live?.replicas ?? 1;
  const services: SwarmService[] = [];
  for (const service of wanted) {
    const before = live?.services.find(({ name }) => name === service.name);
    const plan = "specification" in service ? restoreService : planService;
    services.push(await plan(service as SwarmService, before, { ...attempt, replicas }));
  }
  return { ...release, id, status: "pending", port: options.port ?? live?.port ?? 8080, replicas, services };
}

type Planned = Omit<Attempt, "progress"> & { manager: Manager };
type Scaled = Planned & { replicas: number };

function restoreService(
  service: SwarmService,
  before: SwarmService | undefined,
  { replicas }: Scaled,
): Promise<SwarmService> {
  const { specification } = service;
  if (before && keepsForeignData(service)) refuseChange(before, service);
  const count = isPinned(specification) ? 1 : replicas;
  return Promise.resolve({
    ...service,
    specification: { ...specification, deploy: { ...specification.deploy, replicas: count } },
  });
}

async function planService(
  given: ReleasedService,
  before: SwarmService | undefined,
  attempt: Scaled,
): Promise<SwarmService> {
  const { application, options, replicas, secrets, manager } = attempt;
  const service = { ...given, image: await pinInRegistry(given.image) };
  const image = await inspectImage(service.image);
  const source = application.services.find(({ name }) => name === service.name);
  const paths = needsVolume(source, secrets?.[service.name]) ? Object.keys(image.Config.Volumes ?? {}) : [];
  if (before && paths.length > 0 && !service.isBuilt) {
    refuseChange(before, service);
    return before;
  }
  const terms: SpecificationInput = {
    application: application.name,
    service,
    isOurs: source?.request !== undefined,
    user: await chooseUser(image),
    replicas: paths.length > 0 ? 1 : replicas,
    ...(paths.length > 0
      ? {
          data: {
            volumes: paths.map((path) => chooseVolume(application.name, service.name, path, before)),
            node: await chooseNode(before, manager),
          },
        }
      : {}),
    healthMs: options.healthMs,
    watchMs: options.watchMs,
    hasStartInterval: manager.hasStartInterval,
  };
  return { ...service, specification: specifyService(terms) };
}

/** Our backends on PostgreSQL keep no data in their containers. */
function needsVolume(service: Service | undefined, secrets: Record<string, string> = {}): boolean {
  if (!service?.request) return true;
  return service.request.database !== "postgres" && !isPostgres({ ...service.env, ...secrets }["DATABASE_URL"]);
}

const isPinned = ({ deploy }: Specification) => deploy.placement !== undefined;
const keepsForeignData = ({ isBuilt, specification }: SwarmService) => !isBuilt && isPinned(specification);

/** The volume with the data, or a new one. */
function chooseVolume(application: string, service: string, path: string, before: SwarmService | undefined) {
  const found = before?.specification.volumes.find(({ type, target }) => type === "volume" && target === path);
  return { path, name: found?.source ?? dataVolume(application, service, path) };
}

/** Data is on one node, and the service that uses it stays there. */
async function chooseNode(before: SwarmService | undefined, manager: Manager): Promise<string> {
  const [constraint] = before?.specification.deploy.placement?.constraints ?? [];
  return constraint?.replace("node.id==", "") ?? (await findDataNode(manager.node));
}

function refuseChange({ specification: _, ...before }: SwarmService, after: ReleasedService): void {
  const { specification: __, ...wanted } = after as SwarmService;
  if (JSON.stringify(before) === JSON.stringify(wanted)) return;
  throw new Fault(
    "keeps_data",
    `${after.name} keeps data, and two instances cannot use the same data, so it cannot be changed without downtime. Leave it unchanged, or rename the changed service.`,
  );
}

/** The image by its digest in a registry, so that every node gets the same one. */
async function pinInRegistry(image: string): Promise<string> {
  if (image.includes("@sha256:")) return image;
  const found = await inspect<{ RepoDigests: string[] }>("image", image);
  const repository = image.replace(/:[^:/]+$/, "");
  const digest = found?.RepoDigests.find((one) => one.startsWith(`${repository}@`)) ?? found?.RepoDigests[0];
  if (digest) return digest;
  throw new Fault(
    "image_not_found",
    `The image ${image} is on this engine only, so other nodes cannot get it. Push it to a registry, and use its name there.`,
  );
}
