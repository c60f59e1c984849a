import type { IConfigMap } from "kubernetes-models/v1";
import { apply, kubectl } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";
import { labelsOf, releasesName } from "./names.ts";

/** What was released, oldest first. */
export async function readReleases(application: string): Promise<KubernetesRelease[]> {
  const get = ["get", "configmap", releasesName(application), "-o", "json", "--ignore-not-found"];
  const found = await kubectl.json<IConfigMap>(get);
  return JSON.parse(found?.data?.["releases.json"] ?? "[]");
}

export async function writeReleases(application: string, releases: KubernetesRelease[]): Promise<void> {
  await apply([releasesManifest(application, releases)]);
}

export function releasesManifest(application: string, releases: KubernetesRelease[]): IConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: releasesName(application), labels: labelsOf(application) },
    data: { "releases.json": JSON.stringify(releases, null, 2) },
  };
}
