/** What is made in a cluster, by name. A service's Deployment, Service and the rest have the service's own name. */
export const releasesName = (application: string) => `${application}-releases`;
export const leaseName = (application: string) => `${application}-publish`;
export const secretName = (service: string, version: string) => `${service}-${version}`;

/** Marks all that belongs to an application, so that it is found again. */
export const labelsOf = (application: string, service?: string) => ({
  "app.kubernetes.io/part-of": application,
  "app.kubernetes.io/managed-by": "dory",
  ...(service === undefined ? {} : { "app.kubernetes.io/name": service }),
});

export const selectorOf = (application: string) =>
  `app.kubernetes.io/part-of=${application},app.kubernetes.io/managed-by=dory`;

/** On a Deployment: the release that it was last told to run. On its pods: what they run. */
export const releaseAnnotation = "dory/release";
export const configurationAnnotation = "dory/configuration";
