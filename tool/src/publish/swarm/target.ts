import { show } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import { checkEngine } from "../engine/docker.ts";
import { holderName, underLease } from "../engine/lease.ts";
import { fetchImage } from "../engine/target.ts";
import { liveOf, releaseBefore } from "../release.ts";
import type { Target } from "../target.ts";
import { urlOf } from "./front.ts";
import { checkManager, checkNames } from "./manager.ts";
import { serviceName } from "./names.ts";
import { lookAtReleases, type SwarmRelease } from "./records.ts";
import { releaseUnder } from "./releasing.ts";
import { findService, type Task, tasksOf } from "./service.ts";

/** A swarm of engines, through one of its managers. */
export const swarmTarget: Target = {
  needsRegistry: true,

  async check(application, { domain }) {
    await checkManager();
    checkNames(application);
    if (domain !== undefined)
      throw new Fault(
        "domain",
        "In a swarm every node listens, so a certificate belongs to what balances them. Publish with --port, and let that lead there.",
      );
    const { architecture } = await checkEngine();
    for (const { image, name } of application.services) if (image) await fetchImage(name, image, architecture);
  },

  async look({ name }) {
    await checkManager();
    const releases = await lookAtReleases(name);
    const live = liveOf(releases);
    return { releases, ...(live ? { url: await urlOf(name, live.port) } : {}) };
  },

  release: (attempt) => underLease(attempt, (lease) => releaseUnder(lease, attempt)),

  async rollback(application, wanted, options, progress) {
    await checkManager();
    const releases = await lookAtReleases(application.name);
    const found = releaseBefore(releases, wanted);
    const { id, status: _, reason: __, ...release } = found;
    const again = { ...release, at: new Date().toISOString(), by: holderName(), restores: release.restores ?? id };
    return swarmTarget.release({ application, release: again, options, progress });
  },

  async status({ name }) {
    const live = await liveRelease(name);
    if (!live) return [`${name} is not published here.`];
    const lines: string[] = [];
    for (const service of live.services) lines.push(...(await statusLines(name, service.name)));
    return [`${name} ${live.id} at ${await urlOf(name, live.port)}, since ${live.at}`, ...lines];
  },

  async logs({ name }, { isFollowing, lines }) {
    const live = await liveRelease(name);
    if (!live) throw new Fault("not_published", `${name} is not published here, so there are no logs.`);
    const codes = live.services.map((service) => showLogs(serviceName(name, service.name), lines, isFollowing));
    return Math.max(...(await Promise.all(codes)));
  },
};

async function liveRelease(application: string): Promise<SwarmRelease | undefined> {
  await checkManager();
  return liveOf(await lookAtReleases(application));
}

async function statusLines(application: string, service: string): Promise<string[]> {
  const name = serviceName(application, service);
  const found = await findService(name);
  if (!found) return [`  ${service}: gone`];
  const wanted = (await tasksOf(name)).filter(({ DesiredState }) => DesiredState === "running");
  const running = wanted.filter(({ Status }) => Status.State === "running");
  const update = found.UpdateStatus ? ` (${found.UpdateStatus.State.replaceAll("_", " ")})` : "";
  const image = found.Spec.TaskTemplate.ContainerSpec.Image;
  return [
    `  ${service}: ${running.length} of ${found.Spec.Mode.Replicated?.Replicas ?? wanted.length} run${update}, ${image}`,
    ...wanted.map(taskLine),
  ];
}

function taskLine({ ID, NodeID = "no node", Status }: Task): string {
  return `    ${ID.slice(0, 12)}: ${Status.State} on ${NodeID.slice(0, 12)}${Status.Err ? `, ${Status.Err}` : ""}`;
}

function showLogs(service: string, lines: number, isFollowing: boolean): Promise<number> {
  const args = ["service", "logs", "--tail", String(lines), ...(isFollowing ? ["--follow"] : []), service];
  return show("docker", args);
}
