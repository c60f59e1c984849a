import { liveOf } from "../release.ts";
import { kubectl } from "./kubectl.ts";
import { besideOf, type KubernetesRelease } from "./manifests.ts";
import { secretName, selectorOf } from "./names.ts";

/** Removes what belongs to an application and to none of the releases that are kept; only what is live may run. */
export async function sweep(application: string, releases: KubernetesRelease[]): Promise<void> {
  const live = liveOf(releases);
  if (!live) return;
  const names = new Set(live.services.map(({ name }) => name));
  await remove((await listed(application, "deployments")).filter((name) => !names.has(name)));
  await removeBeside(application, live);

  const good = releases.filter(({ status }) => status === "live" || status === "replaced");
  const versions = good.flatMap(({ services }) =>
    services.map(({ name, secretsVersion }) => secretName(name, secretsVersion ?? "")),
  );
  const old = (await listed(application, "secrets")).filter((name) => !versions.includes(name));
  if (old.length > 0) await kubectl.run(["delete", "secrets", ...old, "--ignore-not-found"]);
}

/** All that belongs to services. */
export async function remove(services: string[]): Promise<void> {
  if (services.length === 0) return;
  const kinds = "deployment,service,poddisruptionbudget,horizontalpodautoscaler";
  await kubectl.run(["delete", kinds, ...services, "--ignore-not-found", "--wait=false"]);
}

/** Budgets and autoscalers that a release does not have. */
export async function removeBeside(application: string, release: KubernetesRelease): Promise<void> {
  const wanted = new Set(besideOf(application, release).map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
  for (const kind of ["PodDisruptionBudget", "HorizontalPodAutoscaler"]) {
    const extra = (await listed(application, kind)).filter((name) => !wanted.has(`${kind} ${name}`));
    if (extra.length > 0) await kubectl.run(["delete", kind, ...extra, "--ignore-not-found"]);
  }
}

async function listed(application: string, kind: string): Promise<string[]> {
  const told = await kubectl.run(["get", kind, "-l", selectorOf(application), "-o", "name"]);
  return told
    .split("\n")
    .filter(Boolean)
    .map((name) => name.split("/").at(-1) ?? name);
}
