import { docker, dockerIfPossible } from "../engine/docker.ts";
import { ownLabel } from "./names.ts";
import type { SwarmRelease } from "./records.ts";

/** Removes the secrets and configurations that no release needs which is kept. What a service uses, the swarm keeps. */
export async function sweep(application: string, releases: SwarmRelease[]): Promise<void> {
  const good = releases.filter(({ status }) => status === "live" || status === "replaced");
  const specifications = good.flatMap(({ services }) => services.map(({ specification }) => specification));
  const secrets = new Set(specifications.flatMap(({ secrets = [] }) => secrets.map(({ source }) => source)));
  for (const name of await listed("secret", application))
    if (!secrets.has(name)) await dockerIfPossible(["secret", "rm", name]);
  for (const name of await listed("config", application)) await dockerIfPossible(["config", "rm", name]);
}

async function listed(kind: "secret" | "config", application: string): Promise<string[]> {
  const filter = ["--filter", `label=${ownLabel}=${application}`];
  return (await docker([kind, "ls", ...filter, "--format", "{{.Name}}"])).split("\n").filter(Boolean);
}
