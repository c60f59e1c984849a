import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import type { Secrets } from "../secrets.ts";
import {
  addVersion,
  createSecret,
  describeSecret,
  describeVersion,
  destroyVersion,
  gcloud,
  type Place,
} from "./gcloud.ts";
import type { CloudRunRelease } from "./service.ts";

export const secretName = (application: string, variable: string) => `${application}-${variable}`;

/** Passes the secrets that changed; the release maps each variable to a version of a secret. */
export async function putSecrets(
  place: Place,
  { name }: Application,
  release: CloudRunRelease,
  values: Record<string, Secrets> | undefined,
  live: CloudRunRelease | undefined,
): Promise<CloudRunRelease> {
  const [service] = release.services;
  if (live && live.services[0]?.secretsVersion === service?.secretsVersion)
    return { ...release, secretVersions: live.secretVersions };
  if (!values) return refuseGone(place, release);
  const secretVersions: Record<string, string> = {};
  for (const [variable, value] of Object.entries(values[service?.name ?? ""] ?? {}))
    secretVersions[variable] = await addSecret(place, secretName(name, variable), value);
  return { ...release, secretVersions };
}

/** A revision cannot start instances after a version that it reads was destroyed. */
async function refuseGone(place: Place, release: CloudRunRelease): Promise<CloudRunRelease> {
  for (const [variable, version] of Object.entries(release.secretVersions))
    if (!(await isEnabled(place, version)))
      throw new Fault(
        "secrets_gone",
        `The value of ${variable} in that release is no longer in Secret Manager. Publish again, or roll back with --keep-secrets.`,
      );
  return release;
}

export async function destroyVersions(place: Place, versions: Iterable<string>): Promise<void> {
  for (const version of new Set(versions))
    if (await isEnabled(place, version)) await gcloud.run(destroyVersion(place, version));
}

async function isEnabled(place: Place, version: string): Promise<boolean> {
  const state = await gcloud.run(describeVersion(place, version)).catch((error) => {
    if (error instanceof Fault && error.code === "not_found") return "";
    throw error;
  });
  return state.toUpperCase() === "ENABLED";
}

/** One secret per variable, with a version per value: access is granted once, and old values stay. */
async function addSecret(place: Place, secret: string, value: string): Promise<string> {
  await gcloud.run(describeSecret(place, secret)).catch((error) => {
    if (!(error instanceof Fault && error.code === "not_found")) throw error;
    return gcloud.run(createSecret(place, secret));
  });
  const made = await gcloud.run(addVersion(place, secret), { input: value, isSecret: true });
  const version = /\/versions\/(\d+)$/.exec(made)?.[1];
  if (version === undefined) throw new Fault("gcloud", `gcloud did not report which version of ${secret} it made.`);
  return `${secret}:${version}`;
}
