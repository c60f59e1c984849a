import { execute } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import type { ReleasedService } from "../release.ts";
import type { Secrets } from "../secrets.ts";
import type { Instance } from "../snapshot.ts";
import { chooseUser } from "../users.ts";
import {
  checkEngine,
  docker,
  dockerIfPossible,
  dockerOrNothing,
  inspect,
  inspectEach,
  readEngineTime,
} from "./docker.ts";
import { readSealed, sealScript } from "./lease.ts";
import { dataVolume, earlierDataVolume, helperImage, secretsVolume } from "./names.ts";

/** Flags of every container: no privileges that it does not need. */
const rights = ["--init", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
const limits = ["--memory", "512m", "--pids-limit", "256"];
export const hardened = [...rights, ...limits];

const logFlags = ["--log-opt", "max-size=10m", "--log-opt", "max-file=3"];

interface Image {
  Id: string;
  Architecture: string;
  Config: { Volumes?: Record<string, object> | null; Healthcheck?: { Test?: string[] } | null; User?: string };
}

export async function inspectImage(reference: string): Promise<Image> {
  const found = await inspect<Image>("image", reference);
  if (!found) throw new Fault("image_gone", `The image ${reference} is no longer on this engine. Publish again.`);
  return found;
}

/** Pulls a prebuilt image if needed, and checks that this engine can run it. */
export async function fetchImage(service: string, image: string): Promise<void> {
  if ((await dockerOrNothing(["image", "inspect", image])) === undefined)
    await docker(["pull", image], { timeoutMs: 600_000 });
  const { Architecture } = await inspectImage(image);
  const { architecture } = await checkEngine();
  if (Architecture !== architecture)
    throw new Fault(
      "wrong_architecture",
      `The image ${image} of ${service} is for ${Architecture}, but the engine is ${architecture}. Choose one for ${architecture}.`,
    );
}

export interface Placement {
  application: string;
  name: string;
  labels: string[];
  /** Each with the names of the container in it. The first one is joined when the container is created. */
  networks: { name: string; aliases: string[] }[];
}

/** Makes a container for a service, ready to start. */
export async function createContainer(service: ReleasedService, placement: Placement): Promise<void> {
  const { application, name, labels, networks } = placement;
  const image = await inspectImage(service.image);
  const [first, ...rest] = networks;
  const volumes: { path: string; volume: string }[] = [];
  for (const path of Object.keys(image.Config.Volumes ?? {}))
    volumes.push({ path, volume: await chooseVolume(application, service.name, path) });
  // An existing volume keeps the labels of the release that made it.
  for (const { volume } of volumes) await docker(["volume", "create", ...labels, volume]);
  const aliases = (first?.aliases ?? []).flatMap((alias) => ["--network-alias", alias]);
  const network = ["--network", first?.name ?? "none", ...aliases];
  const user = ["--user", await chooseUser(image)];
  await docker([
    "create",
    "--name",
    name,
    ...labels,
    ...hardened,
    ...user,
    ...network,
    ...volumes.flatMap(({ path, volume }) => ["-v", `${volume}:${path}`]),
    ...secretsArgs(application, service),
    ...Object.entries(service.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...logFlags,
    service.image,
  ]);
  for (const { name: network, aliases } of rest)
    await docker(["network", "connect", ...aliases.flatMap((alias) => ["--alias", alias]), network, name]);
}

/** The volume with the data, which an earlier version of Dory may have named differently. */
export async function chooseVolume(application: string, service: string, path: string): Promise<string> {
  const earlier = earlierDataVolume(application, service, path);
  const found = await inspect<{ Labels?: Record<string, string> | null }>("volume", earlier);
  const { "dory.application": owner, "dory.service": part } = found?.Labels ?? {};
  return owner === application && part === service ? earlier : dataVolume(application, service, path);
}

/** Secrets are files; the variables hold only their paths. */
function secretsArgs(application: string, { name, secrets, secretsVersion }: ReleasedService): string[] {
  if (secretsVersion === null) return [];
  const volume = `${secretsVolume(application, name, secretsVersion)}:/run/secrets:ro`;
  return ["-v", volume, ...secrets.flatMap((secret) => ["-e", `${secret}_FILE=/run/secrets/${secret}`])];
}

/** Its arguments are names and lengths in turn; the values are its input, one after the other. */
const writeFiles = `
while [ $# -gt 0 ]; do
  : > "/secrets/.$1"
  [ "$2" -eq 0 ] || dd bs="$2" count=1 2>/dev/null > "/secrets/.$1"
  chmod 444 "/secrets/.$1"; mv "/secrets/.$1" "/secrets/$1"
  shift 2
done`;

/** Writes secrets into a volume; the values are passed only on stdin. */
export async function writeSecrets(volume: string, secrets: Secrets, marks: string[]): Promise<void> {
  await docker(["volume", "create", ...marks, volume]);
  const input = Object.values(secrets).join("");
  const sizes = Object.entries(secrets).flatMap(([name, value]) => [name, String(Buffer.byteLength(value))]);
  const place = ["--rm", "-i", "--network", "none", "-v", `${volume}:/secrets`];
  const script = [helperImage, "sh", "-ec", sealScript(writeFiles, input), "sh", ...sizes];
  readSealed(await docker(["run", ...place, ...script], { input }));
}

export interface Found {
  Id: string;
  Name: string;
  Image: string;
  RestartCount: number;
  State: {
    Running: boolean;
    Restarting: boolean;
    ExitCode: number;
    OOMKilled: boolean;
    Status: string;
    StartedAt: string;
  };
  Config: { Labels: Record<string, string>; Healthcheck?: { Test?: string[] } | null };
}

export const findContainer = (name: string) => inspect<Found>("container", name);

export const findContainers = (names: string[]) => inspectEach<Found>("container", names, toName);

const toName = ({ Name }: Found) => Name.slice(1);

/** A container as an instance of a snapshot; undefined if there is none. Its health check is not run if it has answered. */
export async function observeContainer(
  service: string,
  before: Found | undefined,
  { lines = 0, hasAnswered = false }: { lines?: number; hasAnswered?: boolean } = {},
): Promise<Instance | undefined> {
  if (!before) return undefined;
  const name = toName(before);
  const { isHealthy, answer } = hasAnswered ? { isHealthy: before.State.Running } : await checkHealth(before);
  // An unhealthy container may have ended in between.
  const found = isHealthy ? before : await findContainer(name);
  if (!found) return undefined;
  const { Running, Restarting } = found.State;
  return {
    id: name,
    service,
    isCurrent: true,
    isReady: isHealthy,
    restarts: found.RestartCount,
    state: describeState(found),
    ...(answer === undefined ? {} : { health: answer }),
    isHopeless: !Running && !Restarting,
    ...(lines > 0 && (!isHealthy || found.RestartCount > 0) ? { lines: await readLog(name, lines) } : {}),
  };
}

function describeState({ State: { Running, OOMKilled, ExitCode, Status } }: Found): string {
  if (OOMKilled) return "ran out of memory";
  return Running ? Status : `ended with exit code ${ExitCode}`;
}

/** A container without a health check is healthy after this time. */
const healthyAfterMs = 2000;

/** Runs the image's own health check now. */
async function checkHealth(found: Found): Promise<{ isHealthy: boolean; answer?: string }> {
  if (!found.State.Running) return { isHealthy: false };
  const [kind, ...command] = found.Config.Healthcheck?.Test ?? [];
  if (kind !== "CMD" && kind !== "CMD-SHELL")
    return { isHealthy: (await readEngineTime()) - Date.parse(found.State.StartedAt) > healthyAfterMs };
  const run = kind === "CMD" ? command : ["/bin/sh", "-c", ...command];
  const { code, stdout, stderr } = await execute("docker", ["exec", found.Id, ...run], { timeoutMs: 10_000 });
  const output = `${stdout}${stderr}`.trim();
  // The engine, not the container, answers for a container that has just ended.
  if (code !== 0 && /OCI runtime exec failed|is not running|No such container/i.test(output))
    return { isHealthy: false };
  return { isHealthy: code === 0, answer: output || `the health check ended with ${code}` };
}

export async function printLastLines(name: string): Promise<string> {
  return indent(await readLog(name, 8));
}

/** Lines of a log for a message. */
export const indent = (lines: string[]) => lines.map((line) => `  ${line.slice(0, 400)}`).join("\n") || "  (nothing)";

export async function readLog(name: string, lines: number): Promise<string[]> {
  const { stdout, stderr } = await execute("docker", ["logs", "--tail", String(lines), name], { timeoutMs: 10_000 });
  return `${stdout}${stderr}`.split("\n").filter((line) => line.trim() !== "");
}

/** Stops a container, with time to finish its requests, and removes it. */
export async function removeContainer(name: string): Promise<void> {
  await dockerIfPossible(["stop", "-t", "15", name]);
  await dockerIfPossible(["rm", "-f", name]);
}
