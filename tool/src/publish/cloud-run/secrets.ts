import { Fault } from "../../fault.ts";
import type { Attempt } from "../target.ts";
import { addVersion, createSecret, describeSecret, gcloud, type Place } from "./gcloud.ts";
import type { CloudRunRelease } from "./service.ts";

/** Hands over the secrets that changed; gives, for each variable, which version of which secret it gets. */
export async function handOver(
  place: Place,
  { application, release, secrets = {} }: Attempt,
  live: CloudRunRelease | undefined,
): Promise<Record<string, string>> {
  const isKept = live?.services[0]?.secretsVersion === release.services[0]?.secretsVersion;
  if (live && isKept) return live.secretVersions;
  const versions: Record<string, string> = {};
  for (const [name, value] of Object.entries(secrets[application.services[0]?.name ?? ""] ?? {}))
    versions[name] = await addTo(place, `${application.name}-${name}`, value);
  return versions;
}

/** One secret for each variable, with a version for each value: so access is given once, and old values stay. */
async function addTo(place: Place, secret: string, value: string): Promise<string> {
  await gcloud.run(describeSecret(place, secret)).catch((error) => {
    if (!(error instanceof Fault && error.code === "not_found")) throw error;
    return gcloud.run(createSecret(place, secret));
  });
  const made = await gcloud.run(addVersion(place, secret), { input: value, isSecret: true });
  const version = /\/versions\/(\d+)$/.exec(made)?.[1];
  if (version === undefined) throw new Fault("gcloud", `gcloud did not tell which version of ${secret} it made.`);
  return `${secret}:${version}`;
}
