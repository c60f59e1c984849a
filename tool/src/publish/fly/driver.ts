import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { whyNotServing } from "../snapshot.ts";
import type { Driver, Target } from "../target.ts";
import { type FlyRelease, printFlyToml } from "./config.ts";
import { deployImage, destroyApp, destroyMachine, flyctl, importSecrets, listVolumes, readLogs } from "./flyctl.ts";
import { readAllMachines, readHistory, readMachines, runsRelease, toInstance } from "./machines.ts";
import { removeLeft, runMigrations } from "./migrate.ts";
import { printImport, readDigests, refuseOther, unset } from "./secrets.ts";

/** An app on Fly, with the application's name or the one in FLY_APP. */
export const flyTarget: Target = {
  needsRegistry: true,
  can: {
    services:
      "An app on Fly is one service, and several apps cannot switch together. Publish each from its own folder, or all with --to docker, swarm or kubernetes.",
    replicas: "Fly manages the number of machines itself. Set it once with flyctl scale count.",
    autoscale: "Fly manages the number of machines itself. See flyctl scale.",
    port: "Fly chooses the address. Leave --port out.",
    domain: "Fly chooses the address. For a domain, use flyctl certs add.",
    files: "A machine's files are lost with the next release.",
    tags: "Fly needs an image by its digest.",
  },
  open: async (application) => createFlyDriver(application, process.env["FLY_APP"] ?? application.name),
};

/** The machines store the history, and Fly itself allows only one publisher at a time. */
function createFlyDriver({ services: [service] }: Application, app: string): Driver<FlyRelease> {
  const name = service?.name ?? "";
  let seconds = 60;
  return {
    place: `app ${app}`,
    paceMs: 2000,

    async check() {
      const machines = await readMachines(app);
      if (machines.length > 0 && readHistory(machines).length === 0)
        throw new Fault(
          "name_taken",
          `The app ${app} runs something that was not published with dory. Choose another app with FLY_APP.`,
        );
    },

    history: async () => readHistory(await readMachines(app).catch(ignoreNoApp([]))),

    async plan({ release, options }, _before, id) {
      seconds = Math.ceil(options.healthMs / 1000);
      return { secretDigests: {}, ...release, id, status: "pending" };
    },

    /** Fly keeps only the newest value of a secret; it shows a digest instead. */
    async putSecrets(release, values, live) {
      const lines = printImport(values?.[name] ?? {});
      if (lines !== "") await flyctl.run(importSecrets(app), { input: lines, isSecret: true });
      const now = await readDigests(app);
      if (!values) refuseOther(release, now, live);
      return { ...release, secretDigests: now };
    },

    secretsRemain:
      "The new values of the secrets stay at Fly, and machines get them at their next start. If they are wrong, publish with the right ones.",

    async migrate(release, _service, _live, update) {
      return runMigrations(app, release, { paceMs: this.paceMs, update });
    },

    async apply(release, before) {
      const replaced = before.map((one): FlyRelease => (one.status === "live" ? { ...one, status: "replaced" } : one));
      await deployNewest(app, [...replaced, { ...release, status: "live" }], seconds);
    },

    async observe(release, lines = 0) {
      const machines = await readMachines(app);
      const image = release.services[0]?.image ?? "";
      return {
        services: [
          {
            name,
            wanted: Math.max(1, machines.length),
            ...(machines.length > 0 ? { image } : {}),
            ...(lines > 0 ? { lines: await readLog(app, lines) } : {}),
          },
        ],
        instances: machines.map((machine) => toInstance(name, machine, release)),
      };
    },

    /** Fly refuses to replace machines of two releases, so the failed ones are removed first. */
    async revert(failed, live) {
      const machines = await readMachines(app);
      for (const machine of machines)
        if (runsRelease(machine, failed) && !(live && machines.every((one) => runsRelease(one, failed))))
          await flyctl.run(destroyMachine(app, machine.id));
      if (!live) return unset(app, failed.services[0]?.secrets ?? []);
      if (whyNotServing(await this.observe(live)) === undefined) return;
      const others = (await this.history()).filter(({ id }) => id !== failed.id && id !== live.id);
      await deployNewest(app, [...others, live], seconds);
    },

    prune: () => removeLeft(app),
    url: async () => `https://${app}.fly.dev`,
    logs: (_release, { isFollowing }) => flyctl.show(["logs", "-a", app, ...(isFollowing ? [] : ["--no-tail"])]),
    render: async (release) => printFlyToml(app, [{ ...release, status: "live" }]),

    async data() {
      const volumes = await flyctl
        .readJson<{ id: string; name: string }[]>(listVolumes(app))
        .catch(ignoreNoApp(undefined));
      return volumes?.map(({ id, name }) => `volume ${name} (${id})`) ?? [];
    },

    /** Keeps the app with its address and certificates, unless its data is deleted too. */
    async remove(isDataDeleted) {
      if (isDataDeleted) return void (await flyctl.run(destroyApp(app)).catch(ignoreNoApp("")));
      const machines = await readAllMachines(app);
      const released = readHistory(machines).flatMap(({ services: [service] }) => service?.secrets ?? []);
      for (const { id } of machines) await flyctl.run(destroyMachine(app, id));
      await unset(app, [...new Set([...released, ...(service?.secrets ?? [])])]);
    },
  };
}

const ignoreNoApp =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof Fault && error.code === "no_app") return instead;
    throw error;
  };

/** Fly's log is per app, and includes machines that no longer exist. */
async function readLog(app: string, lines: number): Promise<string[]> {
  const log = await flyctl.run(readLogs(app), { timeoutMs: 20_000 }).catch(() => "");
  return log.split("\n").filter(Boolean).slice(-lines);
}

/** Deploys the last of these releases: Fly starts its machines next to the old ones, and switches. */
async function deployNewest(app: string, releases: FlyRelease[], seconds: number): Promise<void> {
  const image = releases.at(-1)?.services[0]?.image ?? "";
  const folder = mkdtempSync(join(tmpdir(), "dory-fly-"));
  try {
    const config = join(folder, "fly.toml");
    writeFileSync(config, printFlyToml(app, releases));
    // In a separate folder: flyctl includes the files in its folder.
    await flyctl.run(deployImage(app, config, image, seconds), { cwd: folder, timeoutMs: seconds * 1000 + 600_000 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
