import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../../src/fault.ts";
import { describeWait, leaseHeldFault } from "../../../src/publish/holder.ts";
import { findLive, listServed, type Release } from "../../../src/publish/release.ts";
import type { Secrets } from "../../../src/publish/secrets.ts";
import type { Instance } from "../../../src/publish/snapshot.ts";
import type { Driver, Lock, Options } from "../../../src/publish/target.ts";
import { attemptFor, crashLine, postgresSecret, quickly, shop, unanswered, type World } from "./world.ts";

/** A target in memory: a failure here is a fault of deploy.ts itself. */
class Memory {
  releases: Release[] = [];
  secrets = new Map<string, Secrets>();
  running: { release: Release; restarts: number }[] = [];
  /** The id of the release that answers from outside, if there is a switch. */
  served = "";
  holder: object | undefined;

  leftovers(): string[] {
    const live = findLive(this.releases);
    const versions = listServed(this.releases).map(readVersion);
    return [
      ...this.running
        .filter(({ release }) => release.id !== live?.id)
        .map(({ release }) => `instance of ${release.id}`),
      ...[...this.secrets.keys()]
        .filter((version) => !versions.includes(version))
        .map((version) => `secret ${version}`),
    ];
  }
}

const readVersion = ({ services: [service] }: Release) => service?.secretsVersion ?? "";

/** With a switch it starts a release next to the live one; without, in its place. */
export async function memoryWorld({ isSwitching }: { isSwitching: boolean }): Promise<World> {
  const memory = new Memory();
  const application = shop();
  return {
    application,
    open: async () => (isSwitching ? switching(memory) : replacing(memory)),
    attempt: (asked) => attemptFor(application, quickly, asked),
    secret: postgresSecret,
    unreadySecret: unanswered,
    async expireLease() {
      memory.holder = undefined;
    },
    async crash() {
      for (const instance of memory.running) instance.restarts++;
    },
    leftovers: async () => memory.leftovers(),
  };
}

function replacing(memory: Memory): Driver {
  return {
    paceMs: 2,
    check: async () => {},
    lock: (options, update) => takeLease(memory, options, update),
    findHolder: async () => memory.holder && "ann@desk",
    history: async () => structuredClone(memory.releases),
    async record(releases) {
      memory.releases = structuredClone(releases);
    },
    plan: async ({ release }, _before, id) => ({ ...release, id, status: "pending" }),
    async putSecrets(release, values) {
      const version = readVersion(release);
      if (values) memory.secrets.set(version, values["shop"] ?? {});
      else if (!memory.secrets.has(version)) throw new Fault("secrets_gone", "The secrets are gone.");
      return release;
    },
    async migrate({ services: [service] }) {
      const isCrashing = service?.env["LOG_LEVEL"] === "loud";
      return { isDone: !isCrashing, lines: isCrashing ? [`${crashLine} debug, info`] : ["There are no migrations."] };
    },
    async apply(release) {
      memory.running.push({ release, restarts: 0 });
    },
    async observe(release, lines = 0) {
      const instance = instanceIn(memory, release, lines);
      // The old one is removed when the new one is ready.
      if (instance?.isReady) memory.running = memory.running.filter((one) => one.release.id === release.id);
      return toSnapshot(release, instance);
    },
    async revert(failed, live) {
      memory.running = memory.running.filter((one) => one.release.id !== failed.id);
      if (live && !instanceIn(memory, live)) memory.running.push({ release: live, restarts: 0 });
    },
    async prune(releases, withSecrets) {
      const live = findLive(releases);
      memory.running = memory.running.filter((one) => one.release.id === live?.id);
      const versions = new Set(listServed(withSecrets).map(readVersion));
      for (const version of memory.secrets.keys()) if (!versions.has(version)) memory.secrets.delete(version);
    },
    url: async () => "http://memory",
    logs: async () => 0,
    data: async () => [],
    async remove() {
      Object.assign(memory, { releases: [], running: [], secrets: new Map(), served: "" });
    },
  };
}

function switching(memory: Memory): Driver {
  const driver = replacing(memory);
  return {
    ...driver,
    async observe(release, lines = 0) {
      const isServed = memory.running.some((one) => one.release.id === memory.served);
      const outside = { status: isServed ? 200 : 503, body: "", isCurrent: memory.served === release.id };
      return { ...toSnapshot(release, instanceIn(memory, release, lines)), outside };
    },
    async switchTo({ id }) {
      memory.served = id;
    },
    async revert(failed, live) {
      await driver.revert(failed, live);
      memory.served = live?.id ?? "";
    },
  };
}

const toSnapshot = ({ services }: Release, instance: Instance | undefined) => ({
  services: services.map(({ name, image }) => ({ name, wanted: 1, ...(instance ? { image } : {}) })),
  instances: instance ? [instance] : [],
});

function instanceIn(memory: Memory, { id }: Release, lines = 0): Instance | undefined {
  const found = memory.running.find(({ release }) => release.id === id);
  if (!found) return undefined;
  const { env = {} } = found.release.services[0] ?? {};
  const isCrashing = env["LOG_LEVEL"] === "loud";
  const secret = memory.secrets.get(readVersion(found.release))?.["DATABASE_URL"];
  const isUnready = secret === unanswered;
  return {
    id: `shop-${id}`,
    service: "shop",
    isCurrent: true,
    isReady: !isCrashing && !isUnready,
    restarts: found.restarts,
    state: isCrashing ? "exited" : "running",
    isHopeless: isCrashing,
    ...(lines > 0 && isCrashing ? { lines: [`${crashLine} debug, info`, `a careless program shows ${secret}`] } : {}),
  };
}

async function takeLease(
  memory: Memory,
  { isWaiting, interrupted }: Options,
  update: (text: string) => void,
): Promise<Lock> {
  for (; memory.holder; await sleep(1)) {
    if (!isWaiting) throw leaseHeldFault("shop", "ann@desk");
    update(describeWait("ann@desk"));
    if (interrupted.aborted) throw new Fault("interrupted", "Interrupted; nothing was changed.");
  }
  const me = {};
  memory.holder = me;
  return {
    check: () => {
      if (memory.holder !== me) throw new Fault("lease_lost", "Another publisher took over.");
    },
    release: async () => {
      if (memory.holder === me) memory.holder = undefined;
    },
  };
}
