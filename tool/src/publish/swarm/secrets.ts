import { Fault } from "../../fault.ts";
import { docker, inspect } from "../engine/docker.ts";
import type { ReleasedService } from "../release.ts";
import type { Secrets } from "../secrets.ts";
import { ownLabel, secretName } from "./names.ts";

/** Passes a version of a service's secrets to the swarm on stdin; for a rollback it must still exist. */
export async function putSecrets(application: string, service: ReleasedService, values?: Secrets): Promise<void> {
  const { secrets, secretsVersion } = service;
  if (secretsVersion === null) return;
  for (const secret of secrets) {
    const name = secretName(application, service.name, secret, secretsVersion);
    if (await inspect("secret", name)) continue;
    if (!values)
      throw new Fault("secrets_gone", `The secrets of that release are no longer in the swarm. Publish again.`);
    const labels = ["--label", `${ownLabel}=${application}`];
    await docker(["secret", "create", ...labels, name, "-"], { input: values[secret] ?? "" });
  }
}
