import { createServer } from "node:net";
import { show } from "../../execute.ts";
import { Fault } from "../../fault.ts";
import { liveOf, releaseBefore } from "../release.ts";
import type { Attempt, Published, Target } from "../target.ts";
import { findContainer, imageOf } from "./container.ts";
import { checkEngine, docker, dockerOrNothing, engineHost } from "./docker.ts";
import { holderName, underLease } from "./lease.ts";
import { urlOf } from "./proxy.ts";
import { releaseUnder } from "./releasing.ts";
import { lookAtState } from "./state.ts";

/** One engine: this machine's, or another's over ssh. */
export const dockerTarget: Target = {
  needsRegistry: false,

  async check(application, options) {
    const { architecture } = await checkEngine();
    if ((options.replicas ?? 1) > 1)
      throw new Fault("replicas", "One engine runs one of each service. For replicas, publish with --to swarm.");
    if (options.domain === undefined) await refuseIfTaken(application.name, options.port);
    for (const { image, name } of application.services) if (image) await fetchImage(name, image, architecture);
  },

  async look({ name }) {
    const { releases } = await lookAtState(name);
    const live = liveOf(releases);
    return { releases, ...(live ? { url: await urlOf(live.address) } : {}) };
  },

  release: (attempt) => holding(attempt),

  async rollback(application, wanted, options, progress) {
    const { releases } = await lookAtState(application.name);
    const found = releaseBefore(releases, wanted);
    const { id, status: _, reason: __, ...release } = found;
    const now = { at: new Date().toISOString(), by: holderName(), restores: release.restores ?? id };
    return holding({ application, release: { ...release, ...now }, options, progress });
  },

  async status({ name }) {
    const live = liveOf((await lookAtState(name)).releases);
    if (!live) return [`${name} is not published here.`];
    const lines = await Promise.all(live.services.map((service) => statusLine(service.name, service.container)));
    return [`${name} ${live.id} at ${await urlOf(live.address)}, since ${live.at}`, ...lines];
  },

  async logs({ name }, { isFollowing, lines }) {
    const live = liveOf((await lookAtState(name)).releases);
    if (!live) throw new Fault("not_published", `${name} is not published here, so there are no logs.`);
    const codes = live.services.map(({ container }) => showLogs(container, lines, isFollowing));
    return Math.max(...(await Promise.all(codes)));
  },
};

async function holding(attempt: Attempt): Promise<Published> {
  const isRemote = (await engineHost()) !== undefined;
  return underLease(attempt, (lease) => releaseUnder(lease, attempt, isRemote));
}

/** A port that something else has is told before anything is built, where that can be seen. */
async function refuseIfTaken(application: string, wanted: number | undefined): Promise<void> {
  const port = wanted ?? 8080;
  if ((await engineHost()) !== undefined || (await isFree(port))) return;
  // It may be the application's own; or it has another one, and keeps that.
  const live = liveOf((await lookAtState(application)).releases);
  if (live && (wanted === undefined || wanted === live.address.port)) return;
  throw new Fault(
    "port_taken",
    `Something listens on port ${port} of this machine already. Choose another with --port.`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const found = await new Promise<boolean>((resolve) => {
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "EADDRINUSE"));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  server.close();
  return found;
}

/** An image that is taken as it is must be there, and run on this engine. */
export async function fetchImage(service: string, image: string, architecture: string): Promise<void> {
  if ((await dockerOrNothing(["image", "inspect", image])) === undefined) {
    await docker(["pull", image], { timeoutMs: 600_000 });
  }
  const { Architecture } = await imageOf(image);
  if (Architecture !== architecture)
    throw new Fault(
      "wrong_architecture",
      `The image ${image} of ${service} is for ${Architecture}, and the engine for ${architecture}. Choose one for ${architecture}.`,
    );
}

async function statusLine(service: string, container: string): Promise<string> {
  const found = await findContainer(container);
  const format = "{{if .State.Health}}{{.State.Health.Status}}{{else}}no health check{{end}}";
  const health = (await dockerOrNothing(["inspect", "-f", format, container])) ?? "gone";
  const restarts = found?.RestartCount ? `, restarted ${found.RestartCount} times` : "";
  return `  ${service}: ${found?.State.Status ?? "gone"} (${health}${restarts}), ${container}`;
}

function showLogs(container: string, lines: number, isFollowing: boolean): Promise<number> {
  const args = ["logs", "--tail", String(lines), ...(isFollowing ? ["--follow"] : []), container];
  return show("docker", args);
}
