import { readFileSync } from "node:fs";
import type { Revision, RunService } from "../../src/publish/cloud-run/service.ts";
import type { Answer, Scripted } from "./stand-in.ts";

type Traffic = NonNullable<NonNullable<RunService["status"]>["traffic"]>;

/** A project with one service. The service answers at one address, and the newest revision at another. */
export interface FakeProject extends Scripted {
  url: string;
  tagUrl: string;
  traffic?: Traffic;
  revisions: (Revision & { secrets: string })[];
  /** The versions of each secret that are not destroyed; whether the database that one names answers. */
  secrets: Record<string, { isEnabled: boolean; isUnanswered: boolean }[]>;
  /** Jobs; an execution ends when it is looked at for the second time. */
  jobs: FakeJob[];
  migrating: { isHanging?: boolean; fails?: string; isTimedOut?: boolean };
  /** Traffic does not move, though gcloud reports success. */
  isStubborn?: boolean;
}

export interface FakeJob {
  metadata: { name: string; labels: Record<string, string>; creationTimestamp: string };
  image: string;
  variables: Record<string, string>;
  secrets: string;
  log: string[];
  execution?: { metadata: { name: string }; status: { completionTime?: string; conditions: Condition[] } };
}

interface Condition {
  type: string;
  status: string;
  message?: string;
}

export const emptyProject = (rest: Partial<FakeProject> = {}): FakeProject => ({
  url: "",
  tagUrl: "",
  revisions: [],
  secrets: {},
  jobs: [],
  migrating: {},
  ...rest,
});

export function answer(args: string[], stdin: string, project: FakeProject): Answer {
  const found = Object.entries(commands).find(([command]) => args.join(" ").startsWith(command));
  return found?.[1](args, stdin, project) ?? { code: 2, stderr: `ERROR: (gcloud) Invalid choice: '${args[0]}'` };
}

/** Whether a revision is healthy, which depends on its variables and its secret. */
export function isHealthy({ secrets, revisions }: FakeProject, name: string | undefined): boolean {
  const revision = revisions.find(({ metadata }) => metadata.name === name);
  if (!revision || revision.status?.conditions?.some(({ status }) => status === "False")) return false;
  const version = versionIn(secrets, revision.secrets.split("=")[1] ?? "");
  return version === undefined || !version.isUnanswered;
}

function versionIn(secrets: FakeProject["secrets"], version: string) {
  const [secret = "", number] = version.split(":");
  return secrets[secret]?.[Number(number) - 1];
}

const after = (args: string[], flag: string) => args[args.indexOf(flag) + 1] ?? "";
const missing = (what: string) => ({ code: 1, stderr: `ERROR: ${what}` });

const commands: Record<string, (args: string[], stdin: string, project: FakeProject) => Answer> = {
  "config get-value": (args) => ({ stdout: args[2] === "project" ? "my-project" : "europe-west1" }),
  "auth print-identity-token": () => ({ stdout: "token" }),
  "run services get-iam-policy": () => json({ bindings: [{ role: "roles/run.invoker", members: ["allUsers"] }] }),
  "run services describe": (_, __, { traffic, url }) =>
    traffic ? json({ status: { url, traffic } }) : missing("(gcloud.run.services.describe) Cannot find service [shop]"),
  "run services delete": (_, __, project) => {
    if (!project.traffic) return missing("(gcloud.run.services.delete) Service [shop] could not be found.");
    delete project.traffic;
    project.revisions = [];
    return {};
  },
  "run services update-traffic": (args, _, project) => {
    const traffic = project.traffic ?? [];
    const tag = after(args, "--remove-tags");
    if (args.includes("--remove-tags")) project.traffic = traffic.filter((one) => one.tag !== tag);
    else if (!project.isStubborn) {
      const [revisionName = ""] = after(args, "--to-revisions").split("=");
      project.traffic = [{ revisionName, percent: 100 }, ...traffic.filter(({ tag }) => tag)];
    }
    return {};
  },
  "run services logs read": (args, _, { revisions }) => {
    const name = /revision_name="(.*)"/.exec(after(args, "--log-filter"))?.[1];
    const revision = revisions.find(({ metadata }) => metadata.name === name);
    const isCrashed = revision?.status?.conditions?.some(({ status }) => status === "False");
    return { stdout: isCrashed ? "2026-01-01 00:00:00 LOG_LEVEL must be one of debug, info, warn, error" : "" };
  },
  "run jobs create": (args, _, project) => {
    const name = args[3] ?? "";
    if (findJob(project, name)) return missing(`(gcloud.run.jobs.create) Job [${name}] already exists.`);
    const [key = "", value = ""] = after(args, "--labels").split("=");
    project.jobs.push({
      metadata: { name, labels: { [key]: value }, creationTimestamp: new Date().toISOString() },
      image: after(args, "--image"),
      variables: JSON.parse(readFileSync(after(args, "--env-vars-file"), "utf8")),
      secrets: args.includes("--set-secrets") ? after(args, "--set-secrets") : "",
      log: [],
    });
    return {};
  },
  "run jobs execute": (args, _, project) => {
    const job = findJob(project, args[3] ?? "");
    if (!job) return missing(`(gcloud.run.jobs.execute) Job [${args[3]}] could not be found.`);
    const conditions = [{ type: "Completed", status: "Unknown", message: "Waiting for execution to complete." }];
    job.execution = { metadata: { name: `${job.metadata.name}-x1` }, status: { conditions } };
    return {};
  },
  "run jobs executions list": (args, _, project) => {
    const job = findJob(project, after(args, "--job"));
    const answer = json(job?.execution ? [job.execution] : []);
    if (job) endExecution(project, job);
    return answer;
  },
  "run jobs list": (args, _, { jobs }) => {
    const [, label = "", service = ""] = /^--filter=metadata\.labels\.(\w+)=(.+)$/.exec(args[3] ?? "") ?? [];
    return json(
      jobs.filter(({ metadata }) => metadata.labels[label] === service).map(({ metadata }) => ({ metadata })),
    );
  },
  "run jobs logs read": (args, _, project) => ({
    stdout: (findJob(project, args[4] ?? "")?.log ?? []).map((line) => `2026-01-01 00:00:00 ${line}`).join("\n"),
  }),
  "run jobs delete": (args, _, project) => {
    if (!findJob(project, args[3] ?? ""))
      return missing(`(gcloud.run.jobs.delete) Job [${args[3]}] could not be found.`);
    project.jobs = project.jobs.filter(({ metadata }) => metadata.name !== args[3]);
    return {};
  },
  "run revisions list": (_, __, { revisions }) => json(revisions),
  "run revisions delete": (args, _, project) => {
    project.revisions = project.revisions.filter(({ metadata }) => metadata.name !== args[3]);
    return {};
  },
  "secrets describe": (args, _, { secrets }) => ((args[2] ?? "") in secrets ? {} : missing("NOT_FOUND: Secret")),
  "secrets create": (args, _, { secrets }) => {
    secrets[args[2] ?? ""] = [];
    return {};
  },
  "secrets delete": (args, _, { secrets }) => {
    if (!((args[2] ?? "") in secrets)) return missing("NOT_FOUND: Secret");
    delete secrets[args[2] ?? ""];
    return {};
  },
  "secrets versions add": (args, stdin, { secrets }) => {
    const secret = args[3] ?? "";
    const count = secrets[secret]?.push({ isEnabled: true, isUnanswered: stdin.includes("@unanswered/") });
    return { stdout: `projects/1/secrets/${secret}/versions/${count}` };
  },
  "secrets versions describe": (args, _, { secrets }) => {
    const version = versionIn(secrets, `${after(args, "--secret")}:${args[3]}`);
    return version ? { stdout: version.isEnabled ? "ENABLED" : "DESTROYED" } : missing("NOT_FOUND: Secret Version");
  },
  "secrets versions destroy": (args, _, { secrets }) => {
    const version = versionIn(secrets, `${after(args, "--secret")}:${args[3]}`);
    if (!version?.isEnabled) return missing("FAILED_PRECONDITION: SecretVersion is in DESTROYED state.");
    version.isEnabled = false;
    return {};
  },
  "run deploy": (args, _, project) => deployed(args, project),
};

const findJob = ({ jobs }: FakeProject, name: string) => jobs.find(({ metadata }) => metadata.name === name);

/** An execution ends with what its image would do with these variables and secrets. */
function endExecution({ migrating, secrets }: FakeProject, job: FakeJob): void {
  const [completed] = job.execution?.status.conditions ?? [];
  if (completed?.status !== "Unknown" || migrating.isHanging) return;
  const isUnanswered = versionIn(secrets, job.secrets.split("=")[1] ?? "")?.isUnanswered;
  const unanswered = "The database of DATABASE_URL cannot be used: getaddrinfo ENOTFOUND unanswered";
  const isCrashing = job.variables["LOG_LEVEL"] === "loud";
  const why =
    migrating.fails ??
    (isCrashing ? "LOG_LEVEL must be one of debug, info, warn, error" : isUnanswered ? unanswered : undefined);
  const failed = `Task ${job.execution?.metadata.name}-task0 failed with message: `;
  const isFailed = why !== undefined || migrating.isTimedOut === true;
  completed.status = isFailed ? "False" : "True";
  if (job.execution) job.execution.status.completionTime = new Date().toISOString();
  if (isFailed)
    completed.message = migrating.isTimedOut
      ? `${failed}The configured timeout was reached.`
      : `${failed}The container exited with an error.`;
  job.log = [why ?? (isFailed ? '{"level":"warn","msg":"a change of the tables waits"}' : "0001-a  applied now")];
}

function deployed(args: string[], project: FakeProject): Answer {
  const name = `${args[2]}-${after(args, "--revision-suffix")}`;
  if (project.revisions.some(({ metadata }) => metadata.name === name))
    return missing(`(gcloud.run.deploy) ALREADY_EXISTS: Revision named '${name}' already exists.`);
  const variables: Record<string, string> = JSON.parse(readFileSync(after(args, "--env-vars-file"), "utf8"));
  const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const isCrashing = variables["LOG_LEVEL"] === "loud";
  const message = `The user-provided container failed to start and listen on the port defined by PORT=${after(args, "--port")}`;
  project.revisions.push({
    metadata: { name },
    spec: { containers: [{ image: after(args, "--image"), env }] },
    secrets: args.includes("--set-secrets") ? after(args, "--set-secrets") : "",
    status: {
      conditions: [{ type: "Ready", status: isCrashing ? "False" : "True", ...(isCrashing ? { message } : {}) }],
    },
  });
  if (isCrashing) {
    project.traffic ??= [];
    return missing(`(gcloud.run.deploy) Revision '${name}' is not ready and cannot serve traffic. ${message}`);
  }
  const tagged = { revisionName: name, tag: after(args, "--tag"), url: project.tagUrl };
  project.traffic = [...(project.traffic ?? [{ revisionName: name, percent: 100 }]), tagged];
  return {};
}

const json = (value: unknown) => ({ stdout: JSON.stringify(value) });
