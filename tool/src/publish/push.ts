import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import { keepsProvenance } from "./builder.ts";
import { docker, inspect } from "./engine/docker.ts";
import { imageName } from "./engine/names.ts";
import { type BuiltService, createBuildCommand } from "./image.ts";
import { checkRegistry } from "./reference.ts";

/** Pushes an image, unless it is there with its provenance. Returns its reference with the digest in the registry. */
export async function pushImage(registry: string, application: string, service: string, id: string): Promise<string> {
  checkRegistry(registry);
  const repository = `${registry.replace(/\/$/, "")}/${imageName(application, service)}`;
  const reference = toReference(repository, id);
  await docker(["tag", id, reference]);
  if (await hasProvenance(reference, id)) return `${repository}@${id}`;
  await docker(["push", reference], { timeoutMs: 1_800_000 });
  const pushed = await inspect<{ RepoDigests: string[] }>("image", reference);
  const digest = pushed?.RepoDigests.find((one) => one.startsWith(`${repository}@`));
  if (!digest) throw new Fault("push_failed", `${repository} accepted the image but reported no digest. Push again.`);
  return digest;
}

const toReference = (repository: string, id: string) => `${repository}:${id.replace("sha256:", "").slice(0, 12)}`;

/**
 * Pushes BuildKit's provenance, where the engine can keep it: the image's tag then names an index of the image, which keeps
 * its digest, and of its provenance. The image is built once more for that, from the cache.
 */
export async function pushProvenance(service: BuiltService, pushed: string, interrupted: AbortSignal): Promise<void> {
  const [repository = "", digest = ""] = pushed.split("@");
  const reference = toReference(repository, digest);
  if (!(await keepsProvenance()) || (await hasProvenance(reference, digest))) return;
  const { args, how } = await createBuildCommand(service);
  // Not stored here, where the tag would replace the image.
  const output = `type=image,name=${reference},push=true,store=false`;
  await docker(["build", "--provenance=mode=min", "-o", output, ...args], { ...how, interrupted });
  if (await hasProvenance(reference, digest)) return;
  await docker(["push", reference], { timeoutMs: 1_800_000 });
  throw new Fault("no_provenance", `The image of ${service.name} was built again for it, and became another one.`);
}

/** Whether the registry has provenance of the image with this digest. */
async function hasProvenance(reference: string, digest: string): Promise<boolean> {
  const args = ["buildx", "imagetools", "inspect", "--raw", reference];
  const { code, stdout } = await execute("docker", args, { timeoutMs: 20_000 });
  if (code !== 0) return false;
  const { manifests = [] }: { manifests?: { annotations?: Record<string, string> }[] } = JSON.parse(stdout);
  return manifests.some(({ annotations }) => annotations?.["vnd.docker.reference.digest"] === digest);
}
