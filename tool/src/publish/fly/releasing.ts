import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { liveOf, nextId } from "../release.ts";
import { type Attempt, ReleaseFault } from "../target.ts";
import { type FlyRelease, flyToml } from "./config.ts";
import { deploy, destroyMachine, flyctl, importSecrets, listSecrets, recentLogs } from "./flyctl.ts";
import { machinesOf, recordOf, whyNotServing } from "./machines.ts";
import { importLines } from "./secrets.ts";

/** Makes a release live. Fly starts it beside the old one and switches; whether it did is seen in its machines. */
export async function releaseTo(app: string, attempt: Attempt): Promise<FlyRelease> {
  const { options, progress, secrets } = attempt;
  const machines = await machinesOf(app);
  const before = recordOf(machines);
  const live = liveOf(before);
  const [values = {}] = Object.values(secrets ?? {});
  const lines = importLines(values);
  if (options.interrupted.aborted) throw new Fault("interrupted", "Interrupted; nothing was changed.");
  if (lines !== "")
    await progress.step("secrets", "Hand over the secrets", () =>
      flyctl.run(importSecrets(app), { input: lines, isSecret: true }),
    );
  const release: FlyRelease = {
    ...{ secretDigests: await digestsOf(app) },
    ...{ ...attempt.release, id: nextId(before), status: "live" },
  };
  const replaced = before.map((one): FlyRelease => (one === live ? { ...one, status: "replaced" } : one));
  try {
    await progress.step("start", `Hand ${release.id} to Fly`, () => put(app, [...replaced, release], attempt));
    await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () => watch(app, release, attempt));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const cause = `${error.message}${await lastLines(app)}${lines !== "" && live ? stayNote : ""}`;
    const known = new Set(machines.map(({ id }) => id));
    const outcome = await progress.step("undo", "Take it back", () => takeBack(app, attempt, before, known, cause));
    throw new ReleaseFault(error.code, cause, outcome);
  }
  return release;
}

const stayNote =
  "\nThe new values of the secrets stay at Fly, and machines get them when they next start. If they are wrong, publish with the right ones.";

/** The digests that Fly shows instead of values. */
export async function digestsOf(app: string): Promise<Record<string, string>> {
  type Listed = Record<string, string>;
  const all = (await flyctl.json<Listed[]>(listSecrets(app))) ?? [];
  return Object.fromEntries(
    all.map((secret) => [secret["name"] ?? secret["Name"] ?? "", secret["digest"] ?? secret["Digest"] ?? ""]),
  );
}

async function put(app: string, releases: FlyRelease[], { options }: Attempt): Promise<void> {
  const image = releases.at(-1)?.services[0]?.image ?? "";
  const folder = mkdtempSync(join(tmpdir(), "dory-fly-"));
  try {
    const config = join(folder, "fly.toml");
    writeFileSync(config, flyToml(app, releases));
    // In a folder of its own: flyctl takes along what it finds beside it.
    const how = { cwd: folder, timeoutMs: options.healthMs + 600_000 };
    await flyctl.run(deploy(app, config, image, Math.ceil(options.healthMs / 1000)), how);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await seen(app, image, options.healthMs);
}

async function seen(app: string, image: string, healthMs: number): Promise<void> {
  let reason: string | undefined;
  for (const deadline = Date.now() + Math.min(healthMs, 30_000); Date.now() < deadline; await sleep(1000)) {
    reason = whyNotServing(await machinesOf(app), image);
    if (reason === undefined) return;
  }
  throw new Fault("not_seen", `Fly took the release, but it is not seen serving: ${reason}.`);
}

async function watch(app: string, { services: [service] }: FlyRelease, { options }: Attempt): Promise<void> {
  for (const end = Date.now() + options.watchMs; Date.now() < end && !options.interrupted.aborted; await sleep(2000)) {
    const reason = whyNotServing(await machinesOf(app), service?.image ?? "");
    if (reason !== undefined) throw new Fault("unhealthy", `The new release stopped serving: ${reason}.`);
  }
}

/** Leaves what served before; puts it back if it does not serve any more. */
async function takeBack(
  app: string,
  attempt: Attempt,
  before: FlyRelease[],
  known: Set<string>,
  cause: string,
): Promise<"unchanged" | "rolled_back"> {
  const live = liveOf(before);
  try {
    const machines = await machinesOf(app);
    if (!live) {
      for (const { id } of machines) if (!known.has(id)) await flyctl.run(destroyMachine(app, id));
      return "unchanged";
    }
    if (whyNotServing(machines, live.services[0]?.image ?? "") === undefined) return "unchanged";
    await put(app, [...before.filter((one) => one !== live), live], attempt);
    return "rolled_back";
  } catch (error) {
    throw new ReleaseFault(
      "rollback_failed",
      `${cause}\nTaking it back failed too: ${(error as Error).message}\nLook with flyctl status -a ${app}, then run dory rollback.`,
      "rollback_failed",
    );
  }
}

async function lastLines(app: string): Promise<string> {
  const log = await flyctl.run(recentLogs(app), { timeoutMs: 20_000 }).catch(() => "");
  return log
    .split("\n")
    .slice(-15)
    .map((line) => `\n  ${line}`)
    .join("");
}
