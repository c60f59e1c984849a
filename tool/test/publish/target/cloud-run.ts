import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cloudRunTarget } from "../../../src/publish/cloud-run/driver.ts";
import { findServing, readReleases } from "../../../src/publish/cloud-run/service.ts";
import { listServed } from "../../../src/publish/release.ts";
import { answer, emptyProject, type FakeProject, isHealthy } from "../gcloud.ts";
import { type Recording, recordHere } from "../recording.ts";
import { attemptFor, type Cannot, postgresSecret, quickly, shop, unanswered, type World } from "./world.ts";

export interface CloudRunWorld extends World {
  gcloud: Recording<FakeProject>;
  /** Overrides the answer of the service's revision. */
  served: { status?: number };
}

export const cloudRunCannot: Cannot = {
  lease: "Cloud Run refuses the revision of a second publisher, because its name is taken",
  ownRollback: "Cloud Run returns to the old revision, whose history does not change",
  crash: "Cloud Run does not show restarts",
};

/** A service in a project that a stand-in for gcloud keeps; it answers over HTTP, at two addresses. */
export async function cloudRunWorld(): Promise<CloudRunWorld> {
  const gcloud = recordHere("gcloud", answer, emptyProject());
  const application = shop();
  const { state } = gcloud;
  const served: { status?: number } = {};
  const serving = () => findServing({ status: { traffic: state.traffic ?? [] } });
  const [service, newest] = await Promise.all([
    answering(() => served.status ?? (isHealthy(state, serving()) ? 200 : 503)),
    answering(() => (isHealthy(state, state.revisions.at(-1)?.metadata.name) ? 200 : 503)),
  ]);
  Object.assign(state, { url: service.url, tagUrl: newest.url });
  return {
    application,
    gcloud,
    served,
    secret: postgresSecret,
    unreadySecret: unanswered,
    open: async () => ({ ...(await cloudRunTarget.open(application)), paceMs: 5 }),
    attempt: (asked) => attemptFor(application, quickly, asked),
    expireLease: async () => {},
    leftovers: async () => leftoversIn(state),
    visible: () => JSON.stringify([gcloud.calls.map(({ args, env }) => [args, env]), state]),
    async end() {
      service.close();
      newest.close();
    },
  };
}

/** Versions that no revision ever had are left to dory unpublish: another publisher may be about to use them. */
function leftoversIn(state: FakeProject): string[] {
  const { revisions, secrets, traffic, jobs } = state;
  const releases = readReleases(revisions, traffic ? { status: { traffic } } : undefined);
  const needed = listServed(releases).flatMap(({ secretVersions }) => Object.values(secretVersions));
  const had = new Set(revisions.map((revision) => revision.secrets.split("=")[1]));
  const enabled = Object.entries(secrets).flatMap(([secret, versions]) =>
    versions.flatMap(({ isEnabled }, index) => (isEnabled ? [`${secret}:${index + 1}`] : [])),
  );
  const live = releases.find(({ status }) => status === "live");
  return [
    ...enabled.filter((version) => (had.has(version) || !traffic) && !needed.includes(version)),
    ...(traffic && !live ? ["a service without a release"] : []),
    ...jobs.map(({ metadata }) => `job ${metadata.name}`),
    ...(traffic?.filter(({ tag }) => tag === `c-${live?.id}`).map(({ tag }) => `tag ${tag}`) ?? []),
  ];
}

async function answering(status: () => number) {
  const server = createServer((_, response) => {
    response.statusCode = status();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, close };
}
