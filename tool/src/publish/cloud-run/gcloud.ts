import { Fault } from "../../fault.ts";
import { createProgram } from "../program.ts";

export const gcloud = createProgram(
  "gcloud",
  "The gcloud command is not installed. Install it (https://cloud.google.com/sdk/docs/install) and try again.",
  [
    [
      /do not currently have an active account|gcloud auth login|reauthentication|invalid_grant/i,
      "gcloud_login",
      "You are not logged in to Google Cloud. Run gcloud auth login and try again.",
    ],
    [
      /required property \[project\]|project .*(not found|does not exist)|invalid project/i,
      "no_project",
      "There is no such project. Choose one with gcloud config set project, or set CLOUDSDK_CORE_PROJECT.",
    ],
    [
      /has not been used in project|SERVICE_DISABLED|API .*not enabled/i,
      "api_disabled",
      "The project lacks an API. Run gcloud services enable run.googleapis.com secretmanager.googleapis.com.",
    ],
    [
      /permission denied on secret|secretmanager\.versions\.access/i,
      "secret_access",
      "The service may not read its secrets. Give its service account the role roles/secretmanager.secretAccessor.",
    ],
    [
      /PERMISSION_DENIED|does not have permission|forbidden/i,
      "gcloud_forbidden",
      "You do not have permission in the project. Ask its owner for it.",
    ],
    [
      /image .*not found|must be one of the following registries|expected an image path/i,
      "image_not_found",
      "Cloud Run cannot fetch the image. Push it to Artifact Registry: --registry REGION-docker.pkg.dev/PROJECT/REPOSITORY.",
    ],
    [
      /revision named .* already exists|ALREADY_EXISTS|conflict for resource/i,
      "lease_held",
      "Another publisher was faster. Run the same command again.",
    ],
    [/cannot find (service|revision)|NOT_FOUND|could not be found/i, "not_found", "It does not exist."],
    [
      /connection (refused|aborted|reset)|timed out|network is unreachable|unable to find the server|name resolution/i,
      "gcloud_unreachable",
      "Google Cloud does not answer. Check the connection, then run the same command again.",
    ],
  ],
);

/** The project and the region that gcloud is set to. */
export interface Place {
  project: string;
  region: string;
}

export async function readPlace(): Promise<Place> {
  const [project, region] = await Promise.all(
    ["project", "run/region"].map((name) => gcloud.run(["config", "get-value", name], { timeoutMs: 30_000 })),
  );
  if (!project || project === "(unset)")
    throw new Fault("no_project", "Choose a project with gcloud config set project, or set CLOUDSDK_CORE_PROJECT.");
  if (!region || region === "(unset)")
    throw new Fault("no_region", "Choose a region with gcloud config set run/region, or set CLOUDSDK_RUN_REGION.");
  return { project, region };
}

const inPlace = ({ project, region }: Place) => ["--project", project, "--region", region, "--quiet"];
const inProject = ({ project }: Place) => ["--project", project, "--quiet"];

export function describeService(place: Place, service: string): string[] {
  return ["run", "services", "describe", service, "--format=json", ...inPlace(place)];
}
export function listRevisions(place: Place, service: string): string[] {
  return ["run", "revisions", "list", "--service", service, "--format=json", ...inPlace(place)];
}
export function moveTraffic(place: Place, service: string, revision: string): string[] {
  return ["run", "services", "update-traffic", service, "--to-revisions", `${revision}=100`, ...inPlace(place)];
}
export function removeTag(place: Place, service: string, tag: string): string[] {
  return ["run", "services", "update-traffic", service, "--remove-tags", tag, ...inPlace(place)];
}
export function deleteService(place: Place, service: string): string[] {
  return ["run", "services", "delete", service, ...inPlace(place)];
}
export function deleteRevision(place: Place, revision: string): string[] {
  return ["run", "revisions", "delete", revision, ...inPlace(place)];
}
export const describeSecret = (place: Place, secret: string) => ["secrets", "describe", secret, ...inProject(place)];
export function createSecret(place: Place, secret: string): string[] {
  return ["secrets", "create", secret, "--replication-policy=automatic", ...inProject(place)];
}
export function addVersion(place: Place, secret: string): string[] {
  return ["secrets", "versions", "add", secret, "--data-file=-", "--format=value(name)", ...inProject(place)];
}

export const deleteSecret = (place: Place, secret: string) => ["secrets", "delete", secret, ...inProject(place)];
/** A version is named `SECRET:NUMBER`, as in `--set-secrets`. */
export function destroyVersion(place: Place, version: string): string[] {
  const [secret = "", number = ""] = version.split(":");
  return ["secrets", "versions", "destroy", number, "--secret", secret, ...inProject(place)];
}
/** Prints ENABLED, DISABLED or DESTROYED. */
export function describeVersion(place: Place, version: string): string[] {
  const [secret = "", number = ""] = version.split(":");
  return ["secrets", "versions", "describe", number, "--secret", secret, "--format=value(state)", ...inProject(place)];
}
export function describeAccess(place: Place, service: string): string[] {
  return ["run", "services", "get-iam-policy", service, "--format=json", ...inPlace(place)];
}
export function readLogs(place: Place, service: string, how: { isFollowing: boolean; lines: number }): string[] {
  const { project, region } = place;
  const where = ["--project", project, "--region", region];
  if (how.isFollowing) return ["beta", "run", "services", "logs", "tail", service, ...where];
  return ["run", "services", "logs", "read", service, "--limit", String(how.lines), ...where];
}

/** For what is deleted, and may be gone already. */
export const ignoreMissing = (error: unknown): string => {
  if (error instanceof Fault && error.code === "not_found") return "";
  throw error;
};

export interface NewJob {
  name: string;
  service: string;
  image: string;
  variablesFile: string;
  /** Which version of which secret each variable gets. */
  secrets: Record<string, string>;
  seconds: number;
}

/** A job is for one run, which is not repeated. */
export function createJob(place: Place, { name, service, image, variablesFile, secrets, seconds }: NewJob): string[] {
  const pairs = Object.entries(secrets).map(([variable, version]) => `${variable}=${version}`);
  const once = ["--tasks", "1", "--max-retries", "0", "--task-timeout", `${seconds}s`];
  const values = ["--env-vars-file", variablesFile, ...(pairs.length > 0 ? ["--set-secrets", pairs.join(",")] : [])];
  const labels = ["--labels", `${jobLabel}=${service}`];
  return ["run", "jobs", "create", name, "--image", image, ...labels, ...once, ...values, ...inPlace(place)];
}

/** The label of jobs that apply migrations of a service. */
const jobLabel = "dory_migrates";

export function listJobs(place: Place, service: string): string[] {
  return ["run", "jobs", "list", `--filter=metadata.labels.${jobLabel}=${service}`, "--format=json", ...inPlace(place)];
}
export const executeJob = (place: Place, job: string) => ["run", "jobs", "execute", job, "--async", ...inPlace(place)];
export const deleteJob = (place: Place, job: string) => ["run", "jobs", "delete", job, ...inPlace(place)];
export function listExecutions(place: Place, job: string): string[] {
  return ["run", "jobs", "executions", "list", "--job", job, "--format=json", ...inPlace(place)];
}
export function readJobLog(place: Place, job: string, lines: number): string[] {
  return ["run", "jobs", "logs", "read", job, "--limit", String(lines), ...inPlace(place)];
}

export function readRevisionLog(place: Place, service: string, revision: string, lines: number): string[] {
  const filter = ["--limit", String(lines), "--log-filter", `resource.labels.revision_name="${revision}"`];
  return ["run", "services", "logs", "read", service, ...filter, ...inPlace(place)];
}

export interface NewRevision {
  service: string;
  image: string;
  port: number;
  /** The revision's name is the service's name with this suffix. */
  suffix: string;
  tag: string;
  variablesFile: string;
  /** Which version of which secret each variable gets. */
  secrets: Record<string, string>;
  scale?: { min: number; max: number };
  /** A new service has no traffic to keep away from the revision. */
  isFirst: boolean;
}

export function deployRevision(place: Place, options: NewRevision): string[] {
  const { service, image, port, suffix, tag, variablesFile, secrets, scale, isFirst } = options;
  const pairs = Object.entries(secrets).map(([name, version]) => `${name}=${version}`);
  const revision = ["--image", image, "--port", String(port), "--revision-suffix", suffix, "--tag", tag];
  return [
    "run",
    "deploy",
    service,
    ...revision,
    "--env-vars-file",
    variablesFile,
    ...(pairs.length > 0 ? ["--set-secrets", pairs.join(",")] : ["--clear-secrets"]),
    ...(scale ? ["--min-instances", String(scale.min), "--max-instances", String(scale.max)] : []),
    ...(isFirst ? ["--allow-unauthenticated"] : ["--no-traffic"]),
    ...inPlace(place),
  ];
}
