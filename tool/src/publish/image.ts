import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import type { Application, Service } from "./application.ts";
import { hasBuildKit, keepsProvenance } from "./builder.ts";
import { readCommit } from "./commit.ts";
import { findBase } from "./dockerfile.ts";
import { docker, dockerIfPossible, dockerLines, inspect } from "./engine/docker.ts";
import { imageName } from "./engine/names.ts";
import { resolveInside } from "./inside.ts";
import { pinImage } from "./pin.ts";
import { isRoot } from "./users.ts";

/** A tag for the images of one publish: some engines delete images without a tag. */
export const createBuildTag = () => `build-${Date.now()}-${randomBytes(4).toString("hex")}`;

export const isBuildTag = (tag: string) => /:build-\d+-[0-9a-f]{8}$/.test(tag);

/** A service whose image is built. */
export type BuiltService = Service & { folder: string };

/** Builds a service's image from its Dockerfile. Returns its id, which is its digest on the engine. */
export async function buildImage(
  application: Application,
  service: BuiltService,
  build: string,
  onLine: (line: string) => void,
  interrupted: AbortSignal,
): Promise<string> {
  const { args, how } = await createBuildCommand(service);
  const tag = `${imageName(application.name, service.name)}:${build}`;
  // Provenance can be attached only to an image in the format of OCI.
  const output = (await keepsProvenance()) ? ["-o", `type=image,name=${tag},oci-mediatypes=true`] : ["-t", tag];
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  await docker(["build", ...output, ...args], { ...how, onLine: keep, interrupted }).catch((error) => {
    // The output of a build may look like a fault of the engine; only faults that stop any build count.
    const isEngines = error instanceof Fault && /^(no_|engine_|disk_full|interrupted)/.test(error.code);
    throw isEngines ? error : buildFault(service, lines);
  });
  const built = await inspect<{ Id: string; Config: { User?: string } }>("image", tag);
  if (!built) throw buildFault(service, lines);
  if (await isRoot(built)) throw rootFault(service, built.Config.User);
  return built.Id;
}

/** How a service is built; twice in the same way, the result is the same image. */
export async function createBuildCommand({ name, folder }: BuiltService) {
  const { commit, committedAt } = await readCommit(folder);
  const labels = {
    "org.opencontainers.image.title": name,
    "org.opencontainers.image.revision": commit ?? "",
    "org.opencontainers.image.created": new Date(Number(committedAt) * 1000).toISOString(),
    ...(await readBaseLabels(folder)),
  };
  const args = Object.entries(labels).flatMap(([label, value]) => ["--label", `${label}=${value}`]);
  const env = { ...process.env, ...(await createBuildEnv(committedAt)) };
  return { args: [...args, "."], how: { cwd: folder, env, timeoutMs: 1_800_000 } };
}

/** Environment variables for a reproducible image: the same commit makes the same image. */
const createBuildEnv = async (committedAt: string) => ({
  DOCKER_BUILDKIT: (await hasBuildKit()) ? "1" : "0",
  // BuildKit sets this time on image and layers; the classic builder ignores it, but uses its cache.
  SOURCE_DATE_EPOCH: committedAt,
  // BuildKit's provenance contains the build time, which would change the image each time.
  BUILDX_NO_DEFAULT_ATTESTATIONS: "1",
  // BuildKit would run git with the settings of the folder, and add the address of its remote.
  BUILDX_GIT_INFO: "0",
});

/** What the image was built on, as far as the engine knows. */
async function readBaseLabels(folder: string): Promise<Record<string, string>> {
  const base = findBase(readFileSync(join(folder, "Dockerfile"), "utf8"));
  if (base === undefined) return {};
  const [, digest] = (await pinImage(base)).split("@");
  return {
    "org.opencontainers.image.base.name": base,
    ...(digest === undefined ? {} : { "org.opencontainers.image.base.digest": digest }),
  };
}

function rootFault({ name, folder }: Service, user: string | undefined): Fault {
  return new Fault(
    "image_root",
    `The image of ${name} ${user ? `has USER ${user}` : "names no user, and so"} would run as root. End ${folder}/Dockerfile with a line like USER 65532, and make it the owner of the files that it writes to.`,
  );
}

function buildFault({ name }: Service, lines: string[]): Fault {
  const last = lines.filter((line) => !/^\s*(Removing intermediate|--->)/.test(line)).slice(-15);
  return new Fault(
    "build_failed",
    `The image of ${name} cannot be built. The output of the build:\n${last.map((line) => `  ${line}`).join("\n")}`,
  );
}

/** Checks the files that a build needs. */
export function checkBuildable({ folder: project, services }: Application): void {
  for (const { folder, name } of services) {
    if (folder === undefined) continue;
    // Links to other places would be read and shown, though a build does not follow them.
    const [dockerfile = ""] = ["Dockerfile", ".dockerignore", "openapi.json"].map((name) =>
      resolveInside(project, join(folder, name)),
    );
    if (!existsSync(dockerfile))
      throw new Fault(
        "no_dockerfile",
        `There is no Dockerfile for ${name} in ${folder}. Add one, or make the project again with dory new.`,
      );
    if (/package-lock\.json/.test(readFileSync(dockerfile, "utf8")) && !existsSync(join(folder, "package-lock.json")))
      throw new Fault(
        "no_lockfile",
        `There is no package-lock.json in ${folder}, and the image needs it. Run npm install there first.`,
      );
  }
}

/** Removes the tags of this build, and old ones of builds that were cut off. Releases have tags of their own. */
export async function removeBuildTags({ name, services }: Application, build: string): Promise<void> {
  const day = 86_400_000;
  const isOld = (tag: string) => Date.now() - Number(/:build-(\d+)-/.exec(tag)?.[1] ?? Date.now()) > day;
  for (const service of services) {
    const image = imageName(name, service.name);
    for (const tag of await dockerLines(["images", "--format", "{{.Repository}}:{{.Tag}}", image]))
      if (tag === `${image}:${build}` || isOld(tag)) await dockerIfPossible(["rmi", tag]);
  }
}
