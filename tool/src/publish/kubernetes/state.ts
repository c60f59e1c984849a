import type { IConfigMap, ISecret } from "kubernetes-models/v1";
import { apply, kubectl } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";
import { labelsOf, releasesName } from "./names.ts";
import { remove } from "./prune.ts";

const file = "releases.json";

/** What was released, oldest first. Earlier versions kept it in a ConfigMap. */
export async function readReleases(application: string): Promise<KubernetesRelease[]> {
  const get = (kind: string) => ["get", kind, releasesName(application), "-o", "json", "--ignore-not-found"];
  const found = await kubectl.json<ISecret>(get("secret"));
  if (found) return JSON.parse(Buffer.from(found.data?.[file] ?? "", "base64").toString());
  const earlier = await kubectl.json<IConfigMap>(get("configmap"));
  return JSON.parse(earlier?.data?.[file] ?? "[]");
}

export async function writeReleases(application: string, releases: KubernetesRelease[]): Promise<void> {
  await apply([releasesManifest(application, releases)], { isSecret: true });
}

/** A Secret, since the key by which versions of secrets are named is in it. */
export function releasesManifest(application: string, releases: KubernetesRelease[]): ISecret {
  const text = JSON.stringify(releases, null, 2);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: releasesName(application), labels: labelsOf(application) },
    type: "dory/releases",
    data: { [file]: Buffer.from(text).toString("base64") },
  };
}

export async function forget(application: string): Promise<void> {
  await remove(["secret", "configmap"].map((kind) => `${kind}/${releasesName(application)}`));
}
