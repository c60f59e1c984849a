import { execute } from "../execute.ts";

/** Whether images are built with BuildKit, not with the classic builder of older engines. */
export async function hasBuildKit(): Promise<boolean> {
  const { DOCKER_BUILDKIT } = process.env;
  if (DOCKER_BUILDKIT !== undefined) return !["0", "false"].includes(DOCKER_BUILDKIT);
  return (await askOnce(["buildx", "version"])).code === 0;
}

/** Whether the engine can keep provenance with an image: its containerd image store can. */
export async function keepsProvenance(): Promise<boolean> {
  if (!(await hasBuildKit())) return false;
  const { stdout } = await askOnce(["info", "--format", "{{.DriverStatus}}"]);
  return stdout.includes("io.containerd.snapshotter");
}

const answers = new Map<string, ReturnType<typeof execute>>();

/** Several steps ask the same, and the answer does not change. */
function askOnce(args: string[]): ReturnType<typeof execute> {
  const question = args.join(" ");
  const answer = answers.get(question) ?? execute("docker", args, { timeoutMs: 20_000 });
  answers.set(question, answer);
  return answer;
}
