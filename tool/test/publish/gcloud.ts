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
  /** Traffic does not move, though gcloud reports success. */
  isStubborn?: boolean;
}

export const emptyProject = (rest: Partial<FakeProject> = {}): FakeProject => ({
  url: "",
  tagUrl: "",
  revisions: [],
  secrets: {},
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
