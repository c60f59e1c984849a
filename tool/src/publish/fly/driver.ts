import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { notServing } from "../snapshot.ts";
import type { Driver, Target } from "../target.ts";
import { type FlyRelease, flyToml } from "./config.ts";
import { deploy, destroyApp, destroyMachine, flyctl, importSecrets, listVolumes, recentLogs } from "./flyctl.ts";
import { historyOf, instanceOf, isOf, machinesOf } from "./machines.ts";
import { digestsOf, importLines, refuseOther, unset } from "./secrets.ts";

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
  open: async (application) => flyDriver(application, process.env["FLY_APP"] ?? application.name),
};

/** The machines store the history, and Fly itself allows only one publisher at a time. */
function flyDriver({ services: [service] }: Application, app: string): Driver<FlyRelease> {
  const name = service?.name ?? "";
  let seconds = 60;
  return {
    place: `app ${app}`,
    paceMs: 2000,

    async check() {
      const machines = await machinesOf(app);
      if (machines.length > 0 && historyOf(machines).length === 0)
        throw new Fault(
          "name_taken",
          `The app ${app} runs something that was not published with dory. Choose another app with FLY_APP.`,
        );
    },

    history: async () => historyOf(await machinesOf(app).catch(ifNoApp([]))),

    async plan({ release, options }, _before, id) {
      seconds = Math.ceil(options.healthMs / 1000);
      return { secretDigests: {}, ...release, id, status: "pending" };
    },

    /** Fly keeps only the newest value of a secret; it shows a digest instead. */
    async putSecrets(release, values, live) {
      const lines = importLines(values?.[name] ?? {});
      if (lines !== "") await flyctl.run(importSecrets(app), { input: lines, isSecret: true });
      const now = await digestsOf(app);
      if (!values) refuseOther(release, now, live);
      return { ...release, secretDigests: now };
    },

    secretsRemain:
      "The new values of the secrets stay at Fly, and machines get them at their next start. If they are wrong, publish with the right ones.",

    async apply(release, before) {
      const replaced = before.map((one): FlyRelease => (one.status === "live" ? { ...one, status: "replaced" } : one));
      await put(app, [...replaced, { ...release, status: "live" }], seconds);
    },

    async observe(release, lines = 0) {
      const machines = await machinesOf(app);
      const image = release.services[0]?.image ?? "";
      return {
        services: [
          {
            ...{ name, wanted: Math.max(1, machines.length) },
            ...(machines.length > 0 ? { image } : {}),
            ...(lines > 0 ? { lines: await lastLines(app, lines) } : {}),
          },
        ],
        instances: machines.map((machine) => instanceOf(name, machine, release)),
      };
    },

    /** Fly refuses to replace machines of two releases, so the failed ones are removed first. */
    async revert(failed, live) {
      const machines = await machinesOf(app);
      for (const machine of machines)
        if (isOf(machine, failed) && !(live && machines.every((one) => isOf(one, failed))))
          await flyctl.run(destroyMachine(app, machine.id));
      if (!live) return unset(app, failed.services[0]?.secrets ?? []);
      if (notServing(await this.observe(live)) === undefined) return;
      const others = (await this.history()).filter(({ id }) => id !== failed.id && id !== live.id);
      await put(app, [...others, live], seconds);
    },

    async prune() {},
    url: async () => `https://${app}.fly.dev`,
    logs: (_release, { isFollowing }) => flyctl.show(["logs", "-a", app, ...(isFollowing ? [] : ["--no-tail"])]),
    render: async (release) => flyToml(app, [{ ...release, status: "live" }]),

    async data() {
      const volumes = await flyctl.json<{ id: string; name: string }[]>(listVolumes(app)).catch(ifNoApp(undefined));
      return volumes?.map(({ id, name }) => `volume ${name} (${id})`) ?? [];
    },

    /** Keeps the app with its address and certificates, unless its data is deleted too. */
    async remove(isDataDeleted) {
      if (isDataDeleted) return void (await flyctl.run(destroyApp(app)).catch(ifNoApp("")));
      const machines = await machinesOf(app);
      const released = historyOf(machines).flatMap(({ services: [service] }) => service?.secrets ?? []);
      for (const { id } of machines) await flyctl.run(destroyMachine(app, id));
      await unset(app, [...new Set([...released, ...(service?.secrets ?? [])])]);
    },
  };
}

const ifNoApp =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof Fault && error.code === "no_app") return instead;
    throw error;
  };

/** Fly's log is per app, and includes machines that no longer exist. */
async function lastLines(app: string, lines: number): Promise<string[]> {
  const log = await flyctl.run(recentLogs(app), { timeoutMs: 20_000 }).catch(() => "");
  return log.split("\n").filter(Boolean).slice(-lines);
}

/** Deploys the last of these releases: Fly starts its machines next to the old ones, and switches. */
async function put(app: string, releases: FlyRelease[], seconds: number): Promise<void> {
  const image = releases.at(-1)?.services[0]?.image ?? "";
  const folder = mkdtempSync(join(tmpdir(), "dory-fly-"));
  try {
    const config = join(folder, "fly.toml");
    writeFileSync(config, flyToml(app, releases));
    // In a separate folder: flyctl includes the files in its folder.
    await flyctl.run(deploy(app, config, image, seconds), { cwd: folder, timeoutMs: seconds * 1000 + 600_000 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
