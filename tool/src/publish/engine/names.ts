/** Names of objects on an engine. Applications and services have no two dashes in a row, so names are unique. */
export const helperImage = "caddy:2";
export const stateVolume = "dory";
const join = (...parts: string[]) => parts.join("--");
const ownName = (application: string, service: string) =>
  service === application ? application : join(application, service);

export const containerName = (application: string, service: string, release: string) =>
  join(ownName(application, service), release);
export const secretsVolume = (application: string, service: string, version: string) =>
  join(application, service, "secrets", version);
export const dataVolume = (application: string, service: string, path: string) =>
  join(application, `${service}${pathPart(path)}`);
/** The name in earlier versions of Dory; such a volume is still used. */
export const earlierDataVolume = (application: string, service: string, path: string) =>
  `${application}-${service}${pathPart(path)}`;
export const releaseNetwork = (application: string, release: string) => join(application, release);
export const sharedNetwork = (application: string) => join(application, "shared");
/** Between an application and the proxy. It comes after the proxy's own in the order of names, which decides about the ports. */
export const applicationNetwork = (application: string) => `dory-to-${application}`;
export const imageName = ownName;

/** The swarm target has its history next to that of the docker target; no application can have this name. */
export const swarmHistory = (application: string) => `${application}@swarm`;

const pathPart = (path: string) => path.replaceAll(/[^a-zA-Z0-9]+/g, "-").replace(/-$/, "");

/** Labels of everything that belongs to an application. */
export const labelFlags = (application: string, release: string, service: string) =>
  Object.entries({ application, release, service }).flatMap(([name, value]) => ["--label", `dory.${name}=${value}`]);

export const filterFlags = (application: string) => ["--filter", `label=dory.application=${application}`];
