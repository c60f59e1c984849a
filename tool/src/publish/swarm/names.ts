import { createHash } from "node:crypto";

/** What is made in a swarm, by name. An application is a stack, so `docker stack` shows it too. */
export const stackName = (application: string) => application;
export const serviceName = (application: string, service: string) => `${stackName(application)}_${service}`;
export const proxyService = (port: number) => `dory-front-${port}`;
export const proxyConfig = (caddyfile: string) => `dory-front-${hashOf(caddyfile)}`;

/** Names in a swarm have at most 64 characters, so the hash also says whose secret it is. */
export const secretName = (application: string, service: string, secret: string, version: string) =>
  `${secret.slice(0, 40)}_${hashOf(`${application}/${service}/${secret}/${version}`)}`;

/** Marks all that belongs to an application. An engine's own releases are marked otherwise and never meet these. */
export const ownLabel = "dory.swarm";
/** Tells which specification a task was made from. */
export const specificationLabel = "dory.specification";

/** The records of a swarm stand beside those of the engine; no application can have such a name. */
export const recordsName = (application: string) => `${application}@swarm`;

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
