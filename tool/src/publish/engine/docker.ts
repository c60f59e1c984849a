import coerce from "semver/functions/coerce.js";
import lt from "semver/functions/lt.js";
import { type Execution, execute, type Outcome, timedOut } from "../../execute.ts";
import { Fault, nothingChanged } from "../../fault.ts";

/** Runs `docker` and returns what it prints; a known failure is reported with what to do. */
export async function docker(args: string[], how: Execution = {}): Promise<string> {
  const { code, stdout, stderr } = await runWithRetries(args, how);
  if (code === 0) return stdout.trim();
  throw toFault(code, stderr.trim() || stdout.trim(), args);
}

/** Calls that change nothing, so they can be retried: an engine sometimes does not answer. */
const reading = /^(version|info|ps|images|inspect|logs|context inspect|(\w+) (inspect|ls|ps))\b/;

async function runWithRetries(args: string[], how: Execution): Promise<Outcome> {
  if (!reading.test(args.join(" "))) return execute("docker", args, { timeoutMs: 120_000, ...how });
  let outcome = await execute("docker", args, { timeoutMs: 20_000, ...how });
  for (let tries = 1; tries < 3 && outcome.code === timedOut; tries++)
    outcome = await execute("docker", args, { timeoutMs: 20_000, ...how });
  return outcome;
}

/** Retries other reads in the same way. */
export async function retry<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await read();
    } catch (error) {
      if (tries === 3 || !(error instanceof Fault && error.code === "engine_lost")) throw error;
    }
}

/** The lines of a list. */
export async function dockerLines(args: string[]): Promise<string[]> {
  return (await docker(args)).split("\n").filter(Boolean);
}

/** The same, but returns undefined for something that does not exist. */
export async function dockerOrNothing(args: string[], how: Execution = {}): Promise<string | undefined> {
  return docker(args, how).catch((error: Fault) => {
    if (error.code === "docker" && missing.test(error.message)) return undefined;
    throw error;
  });
}

const missing = /no such|not found|could not find/i;

/** Removes something, if it exists and is not in use; the next prune retries. */
export async function dockerIfPossible(args: string[]): Promise<void> {
  await docker(args).catch((error: Fault) => {
    if (error.code !== "docker") throw error;
  });
}

export async function inspect<T>(kind: string, name: string): Promise<T | undefined> {
  return (await inspectAll<T>(kind, [name]))[0];
}

/** With one call; those that do not exist are left out. */
export async function inspectAll<T>(kind: string, names: string[]): Promise<T[]> {
  if (names.length === 0) return [];
  const args = [...(kind === "task" ? ["inspect", "--type", kind] : [kind, "inspect"]), ...names];
  const { code, stdout, stderr } = await runWithRetries(args, {});
  if (code === 0) return JSON.parse(stdout);
  const output = stderr.trim() || stdout.trim();
  const fault = toFault(code, output, args);
  if (fault.code !== "docker" || !output.split("\n").every((line) => missing.test(line))) throw fault;
  return JSON.parse(stdout);
}

/** The same; each is in the place of its name, or undefined if it does not exist. */
export async function inspectEach<T>(
  kind: string,
  names: string[],
  toName: (found: T) => string,
): Promise<(T | undefined)[]> {
  const found = await inspectAll<T>(kind, names);
  return names.map((name) => found.find((one) => toName(one) === name));
}

/** The engine's own time, in milliseconds: the clock of this machine may differ. */
export async function readEngineTime(): Promise<number> {
  return Date.parse(await docker(["info", "--format", "{{.SystemTime}}"]));
}

/** Where the engine is, as the docker command sees it. */
export async function findEngineHost(): Promise<string | undefined> {
  const { DOCKER_HOST, DOCKER_CONTEXT } = process.env;
  const current = DOCKER_HOST ?? (await docker(contextArgs(DOCKER_CONTEXT)));
  const [, protocol, host] = /^(ssh|tcp):\/\/(?:[^@]*@)?(\[[^\]]+\]|[^:/]+)/.exec(current) ?? [];
  if (protocol !== "ssh" || host === undefined) return host;
  // DOCKER_HOST may contain a name that only ssh's configuration knows.
  const { stdout } = await execute("ssh", ["-G", host], { timeoutMs: 10_000 });
  return /^hostname (.+)$/m.exec(stdout)?.[1] ?? host;
}

function contextArgs(context: string | undefined): string[] {
  const name = context === undefined ? [] : [context];
  return ["context", "inspect", ...name, "--format", "{{.Endpoints.docker.Host}}"];
}

/** The oldest API version that has all that is used here. */
const oldestApi = "1.41.0";

/** Checks that the engine can be used; returns its architecture. */
export async function checkEngine(): Promise<{ architecture: string }> {
  const format = "{{.Server.APIVersion}} {{.Server.Arch}} {{.Server.Version}} {{.Server.Os}}";
  const server = await docker(["version", "--format", format], { timeoutMs: 20_000 });
  const [api = "", architecture = "", version = "", system = ""] = server.split(" ");
  if (lt(coerce(api) ?? "0.0.0", oldestApi))
    throw new Fault("engine_too_old", `The engine is Docker ${version}; version 20.10 or later is needed. Update it.`);
  if (system !== "linux")
    throw new Fault("engine_system", `The engine runs ${system} containers; switch it to Linux containers.`);
  return { architecture };
}

const faults: [RegExp, string, string][] = [
  [
    /permission denied while trying to connect|dial unix .*permission denied/i,
    "engine_permission",
    "You do not have permission to use the container engine. Join the docker group and log in again, or set DOCKER_HOST to another engine.",
  ],
  [
    /Host key verification failed|Permission denied \(|Could not resolve hostname|ssh: connect to host|exit status 255/i,
    "engine_ssh",
    "The engine's machine cannot be reached over ssh. Run ssh with the host of DOCKER_HOST, and fix what it reports.",
  ],
  [
    /Cannot connect to the Docker daemon|error during connect|Is the docker daemon running|failed to connect to the docker API/i,
    "no_engine",
    "No container engine answers. Start Docker, or set DOCKER_HOST to one that runs.",
  ],
  [
    /client version .* is too (old|new)|minimum supported API version/i,
    "engine_too_old",
    "The versions of the docker command and the engine do not work together. Update the older one.",
  ],
  [
    /no space left on device/i,
    "disk_full",
    "The engine's disk is full. Free some space (docker system df) and try again.",
  ],
  [
    /port is already allocated|address already in use|ports are not available/i,
    "port_taken",
    "Something else listens on that port. Choose another one with --port.",
  ],
  [
    /no basic auth credentials|unauthorized|authentication required|denied: requested access|access forbidden/i,
    "registry_login",
    "The registry asks for a password, or denies access. Run docker login for it and try again.",
  ],
  [
    /manifest unknown|pull access denied|repository does not exist|manifest for .* not found/i,
    "image_not_found",
    "The image does not exist, or you may not read it. Check its name, or run docker login for its registry.",
  ],
  [
    /server gave HTTP response to HTTPS client|connection refused|no such host|i\/o timeout|TLS handshake|EOF$/i,
    "registry_unreachable",
    "A registry does not answer. Check its name and the connection, then try again.",
  ],
  [
    /exec format error|does not match the specified platform/i,
    "wrong_architecture",
    "An image is for another architecture than the engine's. Build or choose one for the engine.",
  ],
];

function toFault(code: number, output: string, args: string[]): Fault {
  const last = output.split("\n").filter(Boolean).slice(-3).join("\n");
  if (code === 127) return new Fault("no_docker", "The docker command is not installed. Install Docker and try again.");
  if (code === 130) return nothingChanged();
  if (code === timedOut)
    return new Fault(
      "engine_lost",
      "The engine stopped answering. Check the connection, then run the same command again.",
    );
  const [, name, message] = faults.find(([pattern]) => pattern.test(output)) ?? [];
  if (name && message) return new Fault(name, `${message}\n${last}`);
  return new Fault("docker", `docker ${args.slice(0, 2).join(" ")} failed:\n${last}`);
}
