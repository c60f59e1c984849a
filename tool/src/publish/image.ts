import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import type { Application, Service } from "./application.ts";
import { commitOf } from "./commit.ts";
import { docker, inspect } from "./engine/docker.ts";
import { imageTag } from "./engine/names.ts";

/** Builds a service's image from its Dockerfile; gives its id, which is its digest on the engine. */
export async function buildImage(
  application: Application,
  service: Service & { folder: string },
  onLine: (line: string) => void,
  interrupted: AbortSignal,
): Promise<string> {
  const { commit, isDirty, committedAt } = await commitOf(service.folder);
  const tag = imageTag(
    application.name,
    service.name,
    `${commit?.slice(0, 12) ?? "uncommitted"}${isDirty ? "-dirty" : ""}`,
  );
  const labels = {
    "org.opencontainers.image.title": service.name,
    "org.opencontainers.image.revision": commit ?? "",
    "org.opencontainers.image.created": new Date(Number(committedAt) * 1000).toISOString(),
  };
  const args = Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]);
  const lines: string[] = [];
  const keep = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  // Engines with a newer builder give layers and image this time, so that the same commit makes the same image.
  const env = { ...process.env, SOURCE_DATE_EPOCH: committedAt };
  await docker(["build", "-t", tag, ...args, "."], {
    cwd: service.folder,
    env,
    onLine: keep,
    interrupted,
    timeoutMs: 1_800_000,
  }).catch((error) => {
    // What a build says may read like a fault of the engine; only what stops any build is taken for one.
    const isEngines = error instanceof Fault && /^(no_|engine_|disk_full|interrupted)/.test(error.code);
    throw isEngines ? error : buildFault(service, lines);
  });
  const built = await inspect<{ Id: string }>("image", tag);
  if (!built) throw buildFault(service, lines);
  return built.Id;
}

function buildFault({ name }: Service, lines: string[]): Fault {
  const last = lines.filter((line) => !/^\s*(Removing intermediate|--->)/.test(line)).slice(-15);
  return new Fault(
    "build_failed",
    `The image of ${name} cannot be built. The build said:\n${last.map((line) => `  ${line}`).join("\n")}`,
  );
}

/** What must be there before a build is worth trying. */
export function checkBuildable({ services }: Application): void {
  for (const { folder, name } of services) {
    if (folder === undefined) continue;
    const dockerfile = join(folder, "Dockerfile");
    if (!existsSync(dockerfile))
      throw new Fault(
        "no_dockerfile",
        `There is no Dockerfile for ${name} in ${folder}. Bring one, or make the project again with dory new.`,
      );
    if (/package-lock\.json/.test(readFileSync(dockerfile, "utf8")) && !existsSync(join(folder, "package-lock.json")))
      throw new Fault(
        "no_lockfile",
        `There is no package-lock.json in ${folder}, and the image needs it. Run npm install there first.`,
      );
  }
}

/** Pushes an image; gives it by the digest that the registry knows it by. */
export async function pushImage(registry: string, application: string, service: string, id: string): Promise<string> {
  const [name] = imageTag(application, service, "x").split(":");
  const repository = `${registry.replace(/\/$/, "")}/${name}`;
  const reference = `${repository}:${id.replace("sha256:", "").slice(0, 12)}`;
  await docker(["tag", id, reference]);
  await docker(["push", reference], { timeoutMs: 1_800_000 });
  const pushed = await inspect<{ RepoDigests: string[] }>("image", reference);
  const digest = pushed?.RepoDigests.find((one) => one.startsWith(`${repository}@`));
  if (!digest) throw new Fault("push_failed", `${repository} took the image but told no digest. Push again.`);
  return digest;
}
