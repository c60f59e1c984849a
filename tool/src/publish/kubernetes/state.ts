import type { IConfigMap, ISecret } from "kubernetes-models/v1";
import { apply, kubectl } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";
import { releasesName, toLabels } from "./names.ts";
import { remove } from "./prune.ts";

const file = "releases.json";

/** The releases, oldest first. Earlier versions of Dory kept them in a ConfigMap. */
export async function readReleases(application: string): Promise<KubernetesRelease[]> {
  const get = (kind: string) => ["get", kind, releasesName(application), "-o", "json", "--ignore-not-found"];
  const found = await kubectl.readJson<ISecret>(get("secret"));
  if (found) return JSON.parse(Buffer.from(found.data?.[file] ?? "", "base64").toString());
  const earlier = await kubectl.readJson<IConfigMap>(get("configmap"));
  return JSON.parse(earlier?.data?.[file] ?? "[]");
}

export async function writeReleases(application: string, releases: KubernetesRelease[]): Promise<void> {
  await apply([releasesManifest(application, releases)], { isSecret: true });
}

/** A Secret, because it contains the key of the secrets' versions. */
export function releasesManifest(application: string, releases: KubernetesRelease[]): ISecret {
  const text = JSON.stringify(releases, null, 2);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: releasesName(application), labels: toLabels(application) },
    type: "dory/releases",
    data: { [file]: Buffer.from(text).toString("base64") },
  };
}

export async function removeHistory(application: string): Promise<void> {
  await remove(["secret", "configmap"].map((kind) => `${kind}/${releasesName(application)}`));
}
