/** What is made on an engine, by name. */
export const helperImage = "caddy:2";
export const stateVolume = "dory";
export const containerName = (application: string, service: string, release: string) =>
  service === application ? `${application}-${release}` : `${application}-${service}-${release}`;
export const secretsVolume = (application: string, service: string, version: string) =>
  `${application}-${service}-secrets-${version}`;
export const dataVolume = (application: string, service: string, path: string) =>
  `${application}-${service}${path.replaceAll(/[^a-zA-Z0-9]+/g, "-").replace(/-$/, "")}`;
export const releaseNetwork = (application: string, release: string) => `${application}-${release}`;
export const imageTag = (application: string, service: string, tag: string) =>
  service === application ? `${application}:${tag}` : `${application}-${service}:${tag}`;

/** Marks all that belongs to an application, so that it is found again. */
export const labels = (application: string, release: string, service: string) => [
  ...["--label", `dory.application=${application}`],
  ...["--label", `dory.release=${release}`],
  ...["--label", `dory.service=${service}`],
];
