import type { Fault } from "../../fault.ts";
import { findLive, listServed } from "../release.ts";
import { kubectl } from "./kubectl.ts";
import { createManifests, type KubernetesRelease } from "./manifests.ts";
import { releasesName, secretName, toSelector } from "./names.ts";

/** The kinds of objects of a release, except secrets. */
export const kinds = [
  "Deployment",
  "Service",
  "NetworkPolicy",
  "Ingress",
  "PodDisruptionBudget",
  "HorizontalPodAutoscaler",
];

/** Removes the objects of services that the live release does not have. */
export async function pruneServices(application: string, releases: KubernetesRelease[]): Promise<void> {
  const live = findLive(releases);
  const wanted = new Set(
    live && createManifests(application, live).map(({ kind, metadata }) => `${kind}/${metadata?.name}`.toLowerCase()),
  );
  // Not every publisher may list routes, so only if a release had one.
  const isRouted = releases.some(({ route }) => route?.gateway !== undefined);
  const found = [...(await listObjects(application, kinds)), ...(isRouted ? await listRoutes(application) : [])];
  found.push(...(await listRuns(application)));
  await remove(found.filter((object) => !wanted.has(object)));
}

/** None, if a release failed because the cluster has no Gateway API. */
async function listRoutes(application: string): Promise<string[]> {
  return listObjects(application, ["HTTPRoute"]).catch((error: Fault) => {
    if (error.code === "no_gateway_api") return [];
    throw error;
  });
}

/** Jobs that a publisher left which was killed. The rights that earlier versions asked for do not include listing them. */
async function listRuns(application: string): Promise<string[]> {
  return listObjects(application, ["Job"]).catch((error: Fault) => {
    if (error.code === "cluster_forbidden") return [];
    throw error;
  });
}

/** Removes the versions of secrets that none of these releases has. */
export async function pruneSecrets(application: string, releases: KubernetesRelease[]): Promise<void> {
  const versions = listServed(releases).flatMap(({ services }) =>
    services.map(({ name, secretsVersion }) => `secret/${secretName(name, secretsVersion ?? "")}`),
  );
  const kept = new Set([...versions, `secret/${releasesName(application)}`]);
  await remove((await listObjects(application, ["Secret"])).filter((object) => !kept.has(object)));
}

/** Each object is KIND/NAME. */
export async function remove(objects: string[]): Promise<void> {
  if (objects.length > 0) await kubectl.run(["delete", ...objects, "--ignore-not-found", "--wait=false"]);
}

/** kubectl prints the group after the kind: deployment.apps/shop. */
async function listObjects(application: string, kinds: string[]): Promise<string[]> {
  const found = await kubectl.run(["get", kinds.join(","), "-l", toSelector(application), "-o", "name"]);
  return found
    .split("\n")
    .filter(Boolean)
    .map((object) => object.replace(/^([^./]+)[^/]*/, "$1"));
}
