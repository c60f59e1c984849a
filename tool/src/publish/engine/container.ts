import { setTimeout as sleep } from "node:timers/promises";
import { execute } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import type { ReleasedService } from "../release.ts";
import type { Secrets } from "../secrets.ts";
import { docker, dockerIfPossible, inspect } from "./docker.ts";
import { sealed, whole } from "./lease.ts";
import { dataVolume, helperImage, secretsVolume } from "./names.ts";

/** How every container of a service runs: nothing that it does not need. */
export const hardened = [
  ...["--init", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...["--memory", "512m", "--pids-limit", "256"],
];

interface Image {
  Id: string;
  Architecture: string;
  Config: { Volumes?: Record<string, object> | null; Healthcheck?: { Test?: string[] } | null; User?: string };
}

export async function imageOf(reference: string): Promise<Image> {
  const found = await inspect<Image>("image", reference);
  if (!found) throw new Fault("image_gone", `The image ${reference} is not on this engine any more. Publish again.`);
  return found;
}

export interface Placement {
  application: string;
  name: string;
  labels: string[];
  /** The first is joined at the start; each with the names that the container has there. */
  networks: { name: string; aliases: string[] }[];
}

/** Makes a container for a service, ready to start. */
export async function createContainer(service: ReleasedService, placement: Placement): Promise<void> {
  const { application, name, labels, networks } = placement;
  const { Config } = await imageOf(service.image);
  const [first, ...rest] = networks;
  const volumes = Object.keys(Config.Volumes ?? {}).map((path) => ({
    path,
    volume: dataVolume(application, service.name, path),
  }));
  // One that is there already keeps the marks of the release that made it.
  for (const { volume } of volumes) await docker(["volume", "create", ...labels, volume]);
  const args = [
    ...["create", "--name", name, ...labels, ...hardened, "--user", Config.User || "65532"],
    ...["--network", first?.name ?? "none", ...(first?.aliases ?? []).flatMap((alias) => ["--network-alias", alias])],
    ...volumes.flatMap(({ path, volume }) => ["-v", `${volume}:${path}`]),
    ...secretsArgs(application, service),
    ...Object.entries(service.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...["--log-opt", "max-size=10m", "--log-opt", "max-file=3", service.image],
  ];
  await docker(args);
  for (const { name: network, aliases } of rest)
    await docker(["network", "connect", ...aliases.flatMap((alias) => ["--alias", alias]), network, name]);
}

/** Secrets are files; a variable only tells where. */
function secretsArgs(application: string, { name, secrets, secretsVersion }: ReleasedService): string[] {
  if (secretsVersion === null) return [];
  const volume = `${secretsVolume(application, name, secretsVersion)}:/run/secrets:ro`;
  return ["-v", volume, ...secrets.flatMap((secret) => ["-e", `${secret}_FILE=/run/secrets/${secret}`])];
}

/** Writes secrets into a volume of their own; the values travel on stdin alone. */
export async function keepSecrets(volume: string, secrets: Secrets, marks: string[]): Promise<void> {
  await docker(["volume", "create", ...marks, volume]);
  for (const [name, value] of Object.entries(secrets)) {
    const script = sealed('cat > "/secrets/.$1"; chmod 444 "/secrets/.$1"; mv "/secrets/.$1" "/secrets/$1"', value);
    const place = ["--rm", "-i", "--network", "none", "-v", `${volume}:/secrets`];
    whole(await docker(["run", ...place, helperImage, "sh", "-ec", script, "sh", name], { input: value }));
  }
}

export interface Found {
  Id: string;
  Name: string;
  Image: string;
  RestartCount: number;
  State: { Running: boolean; ExitCode: number; OOMKilled: boolean; Status: string };
  Config: { Labels: Record<string, string> };
}

export const findContainer = (name: string) => inspect<Found>("container", name);

/** Runs the image's own health check, at our pace. An image that has none is healthy when it has run for a while. */
export async function checkHealth(name: string): Promise<{ isHealthy: boolean; answer: string }> {
  const found = await findContainer(name);
  if (!found?.State.Running) return { isHealthy: false, answer: `the container ended with ${found?.State.ExitCode}` };
  const { Config } = await imageOf(found.Image);
  const [kind, ...command] = Config.Healthcheck?.Test ?? [];
  if (kind !== "CMD" && kind !== "CMD-SHELL") {
    await sleep(2000);
    return { isHealthy: (await findContainer(name))?.State.Running === true, answer: "the image has no health check" };
  }
  const run = kind === "CMD" ? command : ["/bin/sh", "-c", ...command];
  const { code, stdout, stderr } = await execute("docker", ["exec", name, ...run], { timeoutMs: 10_000 });
  return { isHealthy: code === 0, answer: `${stdout}${stderr}`.trim() || `the health check ended with ${code}` };
}

/** Waits until a container is healthy, with a deadline of our own; tells why if it is not. */
export async function waitForHealth(name: string, deadlineMs: number, update: (text: string) => void): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const { isHealthy, answer } = await checkHealth(name);
    if (isHealthy) return;
    update(answer);
    const isOver = Date.now() > deadline || (await findContainer(name))?.State.Running !== true;
    if (isOver) throw new Fault("unhealthy", await whyNot(name, answer));
    await sleep(300);
  }
}

/** What a person needs to find the cause: the last health answer and the last lines of the log. */
export async function whyNot(name: string, answer: string): Promise<string> {
  const found = await findContainer(name);
  const state = found?.State.OOMKilled
    ? "It ran out of memory."
    : found?.State.Running
      ? "It runs."
      : `It ended with exit code ${found?.State.ExitCode}.`;
  return `${name} is not healthy. ${state}\nLast health answer: ${answer.split("\n").slice(-3).join("\n")}\nLast lines of its log:\n${await lastLines(name)}`;
}

export async function lastLines(name: string, lines = 8): Promise<string> {
  const { stdout, stderr } = await execute("docker", ["logs", "--tail", String(lines), name], { timeoutMs: 10_000 });
  const all = `${stdout}${stderr}`.trim().split("\n");
  return all.map((line) => `  ${line.slice(0, 400)}`).join("\n") || "  (nothing)";
}

/** Ends a container with time to finish what is under way, and removes it. */
export async function removeContainer(name: string): Promise<void> {
  await dockerIfPossible(["stop", "-t", "15", name]);
  await dockerIfPossible(["rm", "-f", name]);
}
