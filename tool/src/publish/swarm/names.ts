import { createHash } from "node:crypto";

/** Names of objects in a swarm. An application is a stack, so `docker stack` shows it too. */
export const stackName = (application: string) => application;
export const serviceName = (application: string, service: string) => `${stackName(application)}_${service}`;
export const proxyService = (port: number) => `dory-front-${port}`;
/** The service that applies migrations. */
export const runService = "dory-migrate";
export const proxyConfig = (caddyfile: string) => `dory-front-${hash(caddyfile)}`;

/** Names in a swarm have at most 64 characters, so the hash includes the application and service. */
export const secretName = (application: string, service: string, secret: string, version: string) =>
  `${secret.slice(0, 40)}_${hash(`${application}/${service}/${secret}/${version}`)}`;

/** The label of everything that belongs to an application. The docker target uses another one. */
export const ownLabel = "dory.swarm";
/** The specification that a task was made from. */
export const specificationLabel = "dory.specification";

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
