import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execute } from "../execute.ts";
import { Fault, nothingChanged } from "../fault.ts";
import { printOpenApi } from "../new/print/openapi.ts";
import type { Service } from "./application.ts";
import { findCause, searchedLines, shownLines } from "./cause.ts";
import {
  findContainer,
  hardened,
  indent,
  inspectImage,
  observeContainer,
  printLastLines,
  writeSecrets,
} from "./engine/container.ts";
import { docker, dockerIfPossible, dockerLines, inspectAll, readEngineTime } from "./engine/docker.ts";
import { findProcessSpace } from "./holder.ts";
import { pinImage } from "./pin.ts";
import type { Secrets } from "./secrets.ts";
import type { Instance } from "./snapshot.ts";
import { createTrial, type Trial } from "./trial.ts";
import { chooseUser } from "./users.ts";

type Update = (text: string) => void;

/** Runs an image as it will run, on temporary data, and checks it against the contract. */
export async function smoke(
  service: Service,
  image: string,
  secrets: Secrets,
  update: Update,
  interrupted: AbortSignal,
): Promise<void> {
  await removeLeftovers();
  const name = `dory-smoke-${randomBytes(4).toString("hex")}`;
  const trial = createTrial(service, secrets);
  try {
    // Internal: a trial can reach only its own database, whatever its variables say.
    await docker(["network", "create", "--internal", ...labelProcess(), name]);
    await startDatabase(trial, name);
    await writeSecrets(name, trial.secrets, labelProcess());
    await docker(["run", "-d", "--name", name, ...(await runFlags(trial, image, name)), image]);
    await waitUntilHealthy(service, name, update, interrupted);
    await checkContract(service, image, name, trial, interrupted);
    await checkStop(name);
  } catch (error) {
    throw addStandIns(error, trial);
  } finally {
    await remove([name]);
  }
}

const healthMs = 30_000;

async function waitUntilHealthy(
  service: Service,
  name: string,
  update: Update,
  interrupted: AbortSignal,
): Promise<void> {
  for (const deadline = performance.now() + healthMs; ; await sleep(300)) {
    const instance = await observeContainer(service.name, await findContainer(name));
    if (instance?.isReady) return;
    if (interrupted.aborted) throw nothingChanged();
    update(instance?.health ?? "");
    if (!instance || instance.isHopeless || performance.now() > deadline)
      throw explainUnhealthy(
        service,
        await observeContainer(service.name, await findContainer(name), { lines: searchedLines }),
      );
  }
}

/** If the container has ended, its exit code and log explain more than the failed health check. */
function explainUnhealthy({ name }: Service, instance: Instance | undefined): Fault {
  const { state = "is gone", isHopeless = true, health = "none", lines = [] } = instance ?? {};
  const cause = findCause(lines);
  const verdict = isHopeless
    ? `${name} ${state} in its trial.${cause === undefined ? "" : ` Its log says: ${cause.slice(0, 400)}`}\n`
    : `${name} runs in its trial, but is not healthy. Last health answer: ${health.split("\n").slice(-3).join("\n")}\n`;
  return new Fault("unhealthy", `${verdict}Last lines of its log:\n${indent(lines.slice(-shownLines))}`);
}

/** Adds which values were stand-ins, because that may be why it failed. */
function addStandIns(error: unknown, { replaced }: Trial): unknown {
  if (!(error instanceof Fault) || !/^(unhealthy|smoke_)/.test(error.code) || replaced.length === 0) return error;
  return new Fault(
    error.code,
    `${error.message}\nThe trial cannot reach other servers, and used stand-ins for ${replaced.join(", ")}. If it cannot start without them, skip it with --no-smoke.`,
  );
}

/** Names the process of a trial: what it leaves when it is cut off is removed once that process is gone. */
const labelProcess = () => ["--label", `dory.smoke=${findProcessSpace()} ${process.pid}`];

/** Longer than any trial: then it was cut off, wherever its process was. */
const longestTrialMs = 600_000;

/** Others may publish to the same engine, so what may belong to a trial that still runs is left alone. */
async function removeLeftovers(): Promise<void> {
  interface Left {
    Name: string;
    Labels: Record<string, string>;
    /** Of volumes. */
    CreatedAt?: string;
    /** Of networks. */
    Created?: string;
  }
  const find = async (kind: string) =>
    inspectAll<Left>(kind, await dockerLines([kind, "ls", "--filter", "label=dory.smoke", "--format", "{{.Name}}"]));
  const found = [...(await find("volume")), ...(await find("network"))];
  if (found.length === 0) return;
  const now = await readEngineTime();
  const left = found.filter(({ Labels, CreatedAt, Created }) => {
    const [space, pid] = (Labels["dory.smoke"] ?? "").split(" ");
    const isCutOff = space === findProcessSpace() && !isRunning(Number(pid));
    return isCutOff || now - Date.parse(CreatedAt ?? Created ?? "") > longestTrialMs;
  });
  await remove([...new Set(left.map(({ Name }) => Name))]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function remove(names: string[]): Promise<void> {
  for (const name of names) {
    await Promise.all([name, `${name}-database`].map((container) => dockerIfPossible(["rm", "-f", "-v", container])));
    await Promise.all([dockerIfPossible(["volume", "rm", "-f", name]), dockerIfPossible(["network", "rm", name])]);
  }
}

async function runFlags({ env, secrets }: Trial, image: string, name: string): Promise<string[]> {
  const user = ["--user", await chooseUser(await inspectImage(image))];
  const place = ["--network", name, "-v", `${name}:/run/secrets:ro`];
  const variables = { ...env, HEADERS_TIMEOUT_MS: "3000", REQUEST_TIMEOUT_MS: "4000" };
  return [
    ...hardened,
    ...user,
    ...place,
    ...Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...Object.keys(secrets).flatMap((secret) => ["-e", `${secret}_FILE=/run/secrets/${secret}`]),
  ];
}

async function startDatabase({ databasePassword }: Trial, name: string): Promise<void> {
  if (databasePassword === undefined) return;
  const env = { ...process.env, POSTGRES_PASSWORD: databasePassword };
  const place = ["--name", `${name}-database`, "--network", name, "--network-alias", "database"];
  await docker(["run", "-d", ...place, "-e", "POSTGRES_PASSWORD", await pinImage("postgres:18")], { env });
}

/** Runs the conformance suite in a container that shares the network of the one under test. */
async function checkContract(
  service: Service,
  image: string,
  name: string,
  { env, secrets }: Trial,
  interrupted: AbortSignal,
): Promise<void> {
  const document = readOpenApi(service);
  if (document === undefined) return;
  const suite = readFileSync(join(import.meta.dirname, suiteFile), "utf8");
  const variables = { API_TOKENS: secrets["API_TOKENS"], CORS_ORIGINS: secrets["CORS_ORIGINS"] ?? env["CORS_ORIGINS"] };
  const place = ["--rm", "-i", "--network", `container:${name}`, "--read-only", "--cap-drop", "ALL"];
  const names = Object.keys(variables).flatMap((name) => ["-e", name]);
  const args = ["run", ...place, ...names, "--entrypoint", "/nodejs/bin/node", image, "--input-type=module", "-"];
  const input = `globalThis.openapi = ${document};\n${suite}`;
  const how = { input, env: { ...process.env, ...variables }, timeoutMs: 120_000, interrupted };
  const { code, stdout, stderr } = await execute("docker", args, how);
  if (code === 130) throw nothingChanged();
  if (code === 0) return;
  const output = (stdout || stderr).trim().split("\n").slice(0, 20).join("\n");
  throw new Fault("smoke_contract", `The image runs, but does not meet the contract:\n${output}`);
}

/** The project's own OpenAPI document, or the one of its request. */
function readOpenApi({ folder, request }: Service): string | undefined {
  const path = folder && join(folder, "openapi.json");
  if (!path || !existsSync(path)) return request && printOpenApi(request);
  try {
    return JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new Fault("openapi", `${path} is not valid JSON: ${(error as Error).message}.`);
  }
}

async function checkStop(name: string): Promise<void> {
  await docker(["stop", "-t", "12", name]);
  const found = await findContainer(name);
  if (found?.State.ExitCode === 0) return;
  throw new Fault(
    "smoke_stop",
    `On SIGTERM the image ended with exit code ${found?.State.ExitCode}, not 0. Its log:\n${await printLastLines(name)}`,
  );
}

/** The build writes it beside the bundle. `npm run studio` runs the sources in this repository. */
const suiteFile = import.meta.filename.endsWith(".ts") ? "../../dist/suite.js" : "suite.js";
