import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { refuseUnpinned } from "../pinned.ts";
import { nextId, releaseBefore } from "../release.ts";
import type { Target } from "../target.ts";
import { type FlyRelease, flyToml } from "./config.ts";
import { flyctl } from "./flyctl.ts";
import { machinesOf, recordOf } from "./machines.ts";
import { digestsOf, releaseTo } from "./releasing.ts";

/** An app on Fly, of the application's name, or of the one in FLY_APP. */
export const flyTarget: Target = {
  needsRegistry: true,
  losesFiles: true,

  async check(application, { replicas, port, domain }) {
    if (application.services.length > 1)
      throw new Fault(
        "one_service",
        "An app on Fly is one service, and several apps cannot switch together. Publish each from its own folder, or all with --to docker, swarm or kubernetes.",
      );
    refuseUnpinned(application);
    if (replicas !== undefined)
      throw new Fault("replicas", "Fly keeps the number of machines itself. Set it once with flyctl scale count.");
    if (port !== undefined || domain !== undefined)
      throw new Fault("usage", "Fly gives the address. Leave --port out; for --domain, use flyctl certs add.");
    const machines = await machinesOf(appOf(application));
    if (machines.length > 0 && recordOf(machines).length === 0)
      throw new Fault(
        "name_taken",
        `The app ${appOf(application)} runs something that was not published with dory. Choose another app with FLY_APP.`,
      );
  },

  async look(application) {
    const releases = recordOf(await machinesOf(appOf(application)));
    return { releases, ...(releases.length > 0 ? { url: urlOf(application) } : {}) };
  },

  async render({ application, release }) {
    const before = recordOf(await machinesOf(appOf(application)));
    const planned: FlyRelease = { ...release, id: nextId(before), status: "live", secretDigests: {} };
    return `fly.toml of ${appOf(application)}:\n${flyToml(appOf(application), [planned])}`;
  },

  async release(attempt) {
    const release = await releaseTo(appOf(attempt.application), attempt);
    return { release, url: urlOf(attempt.application) };
  },

  async rollback(application, wanted, options, progress) {
    const app = appOf(application);
    const found = releaseBefore(recordOf(await machinesOf(app)), wanted);
    const { id, status: _, secretDigests, ...release } = found;
    const now = await digestsOf(app);
    const other = release.services[0]?.secrets.find((name) => now[name] !== secretDigests[name]);
    if (other !== undefined)
      throw new Fault(
        "secrets_gone",
        `Fly keeps only the newest value of a secret, and ${other} is not what ${id} had. Publish the commit of ${id} with the values that it had.`,
      );
    const attempt = { application, release: { ...release, restores: id }, options, progress };
    return { release: await releaseTo(app, attempt), url: urlOf(application) };
  },

  async status(application) {
    const machines = await machinesOf(appOf(application));
    const live = recordOf(machines).find(({ status }) => status === "live");
    if (!live) return [`${application.name} is not published here.`];
    const lines = machines.map(({ id, state, region, checks = [], image_ref }) => {
      const passing = checks.filter(({ status }) => status === "passing").length;
      return `  ${id} in ${region}: ${state}, ${passing} of ${checks.length} checks pass, ${image_ref?.digest ?? ""}`;
    });
    return [`${application.name} ${live.id} at ${urlOf(application)}, since ${live.at}`, ...lines];
  },

  logs: (application, { isFollowing }) =>
    flyctl.show(["logs", "-a", appOf(application), ...(isFollowing ? [] : ["--no-tail"])]),
};

const appOf = ({ name }: Application) => process.env["FLY_APP"] ?? name;
const urlOf = (application: Application) => `https://${appOf(application)}.fly.dev`;
