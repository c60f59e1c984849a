import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { run, temporaryFolder } from "../support.ts";

/**
 * Why this machine cannot run several engines, if so. Each needs a network of its own, and tasks reach each other over
 * VXLAN. IPVS is not needed: ports are published by each node for itself.
 */
export function noNodes(): string | false {
  if (process.getuid?.() !== 0) return "only root can run several engines";
  const programs = ["dockerd", "ip", "nsenter", "unshare", "setpriv", "pgrep"];
  const missing = programs.find((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0);
  if (missing !== undefined) return `several engines need ${missing}`;
  const link = ["link", "add", "dory-vxlan", "type", "vxlan", "id", "1", "dstport", "4789"];
  const made = spawnSync("unshare", ["--net", "ip", ...link]);
  return made.status === 0 ? false : `tasks on several nodes need VXLAN: ${made.stderr}`;
}

/**
 * Engines that form a swarm on this machine. Each runs in its own network, like a machine, behind a bridge; so do its
 * processes and mounts, which end with it. All of them are managers, so that a swarm of three survives the loss of one.
 */
export class Nodes {
  /** The address of this machine in their network. */
  readonly gateway = `${subnet}.254`;
  readonly all: Node[] = [];
  readonly #servers: Server[] = [];

  static async start(count: number): Promise<Nodes> {
    await removeLeftovers();
    const nodes = new Nodes();
    try {
      await addBridge(nodes.gateway);
      for (let number = 1; number <= count; number++) nodes.all.push(await Node.create(number, nodes.gateway));
      await Promise.all(nodes.all.map((node) => node.start()));
      await nodes.#join();
      return nodes;
    } catch (error) {
      await nodes.remove();
      throw error;
    }
  }

  async #join(): Promise<void> {
    const [first, ...others] = this.all;
    if (!first) return;
    await first.docker("swarm", "init", "--advertise-addr", first.address);
    const token = await first.docker("swarm", "join-token", "-q", "manager");
    for (const { docker, address } of others)
      await docker("swarm", "join", "--token", token, "--advertise-addr", address, `${first.address}:2377`);
  }

  /** Copies images of the engine here to all nodes. */
  async load(...images: string[]): Promise<void> {
    const archive = join(temporaryFolder(), "images.tar");
    await run("/", "docker", "save", "-o", archive, ...images);
    for (const { docker } of this.all) await docker("load", "-q", "-i", archive);
    rmSync(archive);
  }

  /** Makes a port of this machine's loopback reachable from the nodes. */
  async forward(port: number, to: number): Promise<void> {
    const server = createServer((from) => {
      const onward = connect(to, "127.0.0.1");
      for (const [one, other] of [
        [from, onward],
        [onward, from],
      ] as const)
        one.pipe(other).on("error", () => one.destroy());
    });
    await new Promise<void>((resolve) => server.listen(port, this.gateway, resolve));
    this.#servers.push(server);
  }

  async remove(): Promise<void> {
    for (const server of this.#servers) server.close();
    await Promise.all(this.all.map((node) => node.kill()));
    for (const name of listNetworks(process.pid)) execFileSync("ip", ["netns", "del", name]);
    for (const { folder } of this.all) rmSync(folder, { recursive: true, force: true });
    removeGroups(process.pid);
  }
}

/** An engine with its own network, processes and mounts. */
export class Node {
  readonly name: string;
  readonly address: string;
  /** For DOCKER_HOST. */
  readonly host: string;
  readonly folder = temporaryFolder();
  readonly #number: number;
  readonly #gateway: string;
  #engine: ChildProcess | undefined;

  private constructor(number: number, gateway: string) {
    this.#number = number;
    this.#gateway = gateway;
    this.name = networkName(number);
    this.address = `${subnet}.${number}`;
    this.host = `tcp://${this.address}:2375`;
  }

  static async create(number: number, gateway: string): Promise<Node> {
    const node = new Node(number, gateway);
    await ip("netns", "add", node.name);
    await plugIn(number, node.name, node.address);
    await ip("-n", node.name, "link", "set", "lo", "up");
    return node;
  }

  docker = async (...args: string[]) => (await run("/", "docker", "-H", this.host, ...args)).trim();

  async start(): Promise<void> {
    // An engine gives up if its containerd does not start in time, as on a busy machine.
    for (let tries = 1; !(await this.#tryToStart()); tries++)
      if (tries === 6)
        throw new Error(`An engine does not start:\n${readFileSync(join(this.folder, "log"), "utf8").slice(-1000)}`);
  }

  /** False if the engine has ended. */
  async #tryToStart(): Promise<boolean> {
    const { folder, name, address } = this;
    mkdirSync(join(folder, "data"), { recursive: true });
    const log = openSync(join(folder, "log"), "a");
    // It ends with this process, and all its containers end with it.
    const alone = ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc", "sh", "-c"];
    const place = ["--data-root", join(folder, "data"), "--exec-root", join(folder, "run"), "-p", join(folder, "pid")];
    const listen = ["-H", `unix://${join(folder, "socket")}`, "-H", `tcp://${address}:2375`, "--tls=false"];
    const groups = ["--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", `/${name}`];
    const registry = ["--insecure-registry", `${this.#gateway}:5000`];
    const engine = `hostname node${this.#number}; exec dockerd ${[...place, ...listen, ...groups, ...registry].join(" ")}`;
    rmSync(join(folder, "pid"), { force: true });
    const engineProcess = spawn(
      "setpriv",
      ["--pdeathsig", "KILL", "nsenter", `--net=/run/netns/${name}`, ...alone, engine],
      { stdio: ["ignore", log, log] },
    );
    this.#engine = engineProcess;
    const hasEnded = () => engineProcess.exitCode !== null || engineProcess.signalCode !== null;
    const answers = () =>
      this.docker("version").then(
        () => true,
        () => false,
      );
    await eventually(async () => hasEnded() || (await answers()), "an engine to start", 120_000);
    return !hasEnded();
  }

  /** Ends it as a power failure does: nobody is told, and nothing answers. */
  async kill(): Promise<void> {
    await this.#setLink("down");
    await this.#end("SIGKILL");
  }

  /** Starts it after `kill`, with what is on its disk. */
  async comeBack(): Promise<void> {
    await this.#setLink("up");
    await this.start();
  }

  /** Ends it as an administrator would, and starts it again. */
  async restart(): Promise<void> {
    const pid = await run("/", "pgrep", "-P", String(this.#engine?.pid));
    process.kill(Number(pid), "SIGTERM");
    await once(this.#engine as ChildProcess, "exit");
    await this.start();
  }

  async #setLink(state: "up" | "down"): Promise<void> {
    await ip("-n", networkName(0), "link", "set", linkName(this.#number, "b"), state);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const engine = this.#engine;
    if (!engine || engine.exitCode !== null || engine.signalCode !== null) return;
    engine.kill(signal);
    await once(engine, "exit");
  }
}

/** One network for each process that tests, and none of those that engines choose. */
const subnet = `10.213.${process.pid % 250}`;
const networkName = (number: number) => `dory-${process.pid}-${number}`;
/** At most 15 characters. */
const linkName = (number: number, end: "a" | "b") => `dory${process.pid}${end}${number}`;

const ip = (...args: string[]) => run("/", "ip", ...args);

/** In a network of its own: the firewall of this machine does not see what nodes send each other. */
async function addBridge(gateway: string): Promise<void> {
  const hub = networkName(0);
  await ip("netns", "add", hub);
  await ip("-n", hub, "link", "add", "bridge", "type", "bridge");
  await ip("-n", hub, "link", "set", "bridge", "up");
  await plugIn(0, undefined, gateway);
}

/** Connects a network, or this machine, to the bridge. */
async function plugIn(number: number, network: string | undefined, address: string): Promise<void> {
  const [own, far, hub] = [linkName(number, "a"), linkName(number, "b"), networkName(0)];
  await ip("link", "add", own, "type", "veth", "peer", "name", far);
  await ip("link", "set", far, "netns", hub);
  await ip("-n", hub, "link", "set", far, "master", "bridge", "up");
  if (network !== undefined) await ip("link", "set", own, "netns", network);
  const where = network === undefined ? [] : ["-n", network];
  await ip(...where, "addr", "add", `${address}/24`, "dev", own);
  await ip(...where, "link", "set", own, "up");
}

/** The networks that a process has made, or all of them. */
function listNetworks(pid?: number): string[] {
  const names = spawnSync("ip", ["netns", "list"], { encoding: "utf8" }).stdout.split("\n");
  const own = names.map((line) => line.split(" ")[0] ?? "").filter((name) => /^dory-\d+-\d$/.test(name));
  return pid === undefined ? own : own.filter((name) => name.startsWith(`dory-${pid}-`));
}

/** Removes what a run left behind that was killed; its engines have ended with it. */
async function removeLeftovers(): Promise<void> {
  for (const name of listNetworks()) {
    const pid = Number(name.split("-")[1]);
    if (isRunning(pid)) continue;
    await ip("netns", "del", name);
    removeGroups(pid);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The control groups of containers: folders that only `rmdir` removes, the inner ones first. */
function removeGroups(pid: number): void {
  const root = "/sys/fs/cgroup";
  const parents = [root, ...readdirSync(root).map((name) => join(root, name))];
  const find = ["-maxdepth", "1", "-name", `dory-${pid}-*`, "-exec", "find", "{}", "-depth", "-type", "d", "-exec"];
  spawnSync("find", [...parents, ...find, "rmdir", "{}", ";", ";"]);
}
