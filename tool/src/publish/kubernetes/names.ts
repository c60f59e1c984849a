/** Names of objects in a cluster. A service's Deployment, Service and so on have the service's name. */
export const releasesName = (application: string) => `${application}-releases`;
export const leaseName = (application: string) => `${application}-publish`;
export const secretName = (service: string, version: string) => `${service}-${version}`;

/** Labels of everything that belongs to an application. */
export const toLabels = (application: string, service?: string) => ({
  "app.kubernetes.io/part-of": application,
  "app.kubernetes.io/managed-by": "dory",
  ...(service === undefined ? {} : { "app.kubernetes.io/name": service }),
});

/** The service that an object belongs to. */
export const readServiceName = (labels: Record<string, string> = {}) => labels["app.kubernetes.io/name"] ?? "";

export const toSelector = (application: string) =>
  `app.kubernetes.io/part-of=${application},app.kubernetes.io/managed-by=dory`;

/** On a Deployment: the release that was last applied. On its pods: a hash of what they run. */
export const releaseAnnotation = "dory/release";
export const configurationAnnotation = "dory/configuration";
