import { execute } from "../execute.ts";

/** Whether images are built with BuildKit, not with the classic builder of older engines. */
export async function hasBuildKit(): Promise<boolean> {
  const { DOCKER_BUILDKIT } = process.env;
  if (DOCKER_BUILDKIT !== undefined) return !["0", "false"].includes(DOCKER_BUILDKIT);
  return (await execute("docker", ["buildx", "version"], { timeoutMs: 20_000 })).code === 0;
}

/** Whether the engine can keep provenance with an image: its containerd image store can. */
export async function keepsProvenance(): Promise<boolean> {
  if (!(await hasBuildKit())) return false;
  const { stdout } = await execute("docker", ["info", "--format", "{{.DriverStatus}}"], { timeoutMs: 20_000 });
  return stdout.includes("io.containerd.snapshotter");
}
