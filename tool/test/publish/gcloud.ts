import { readFileSync } from "node:fs";
import type { Revision, RunService } from "../../src/publish/cloud-run/service.ts";
import type { Answer, Scripted } from "./stand-in.ts";

type Traffic = NonNullable<NonNullable<RunService["status"]>["traffic"]>;

/** A project with one service. The service answers at one address, and every revision that is tried at the other. */
export interface FakeProject extends Scripted {
  url: string;
  tagUrl: string;
  traffic?: Traffic;
  revisions: Revision[];
  secrets: Record<string, number>;
  /** Traffic does not move, whatever is said. */
  isStubborn?: boolean;
}

export const emptyProject = (rest: Partial<FakeProject> = {}): FakeProject => ({
  ...{ url: "", tagUrl: "", revisions: [], secrets: {} },
  ...rest,
});

export function answer(args: string[], _: string, project: FakeProject): Answer {
  const after = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
  const commands: Record<string, () => Answer> = {
    "config get-value": () => ({ stdout: args[2] === "project" ? "my-project" : "europe-west1" }),
    "auth print-identity-token": () => ({ stdout: "token" }),
    "run services describe": () =>
      project.traffic
        ? json({ status: { url: project.url, traffic: project.traffic } })
        : { code: 1, stderr: "ERROR: (gcloud.run.services.describe) Cannot find service [shop]" },
    "run services delete": () => {
      delete project.traffic;
      project.revisions = [];
      return {};
    },
    "run services update-traffic": () => {
      const traffic = project.traffic ?? [];
      if (args.includes("--remove-tags")) project.traffic = traffic.filter(({ tag }) => tag !== after("--remove-tags"));
      else if (!project.isStubborn) {
        const [revisionName = ""] = after("--to-revisions").split("=");
        project.traffic = [{ revisionName, percent: 100 }, ...traffic.filter(({ tag }) => tag)];
      }
      return {};
    },
    "run revisions list": () => json(project.revisions),
    "run revisions delete": () => {
      project.revisions = project.revisions.filter(({ metadata }) => metadata.name !== args[3]);
      return {};
    },
    "secrets describe": () =>
      (args[2] ?? "") in project.secrets ? {} : { code: 1, stderr: "ERROR: NOT_FOUND: Secret" },
    "secrets create": () => {
      project.secrets[args[2] ?? ""] = 0;
      return {};
    },
    "secrets versions add": () => {
      const secret = args[3] ?? "";
      project.secrets[secret] = (project.secrets[secret] ?? 0) + 1;
      return { stdout: `projects/1/secrets/${secret}/versions/${project.secrets[secret]}` };
    },
    "run deploy": () => {
      const name = `${args[2]}-${after("--revision-suffix")}`;
      const variables: Record<string, string> = JSON.parse(readFileSync(after("--env-vars-file"), "utf8"));
      const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
      project.revisions.push({ metadata: { name }, spec: { containers: [{ image: after("--image"), env }] } });
      const tagged = { revisionName: name, tag: after("--tag"), url: project.tagUrl };
      const serving = project.traffic ?? [{ revisionName: name, percent: 100 }];
      project.traffic = [...serving, tagged];
      return {};
    },
  };
  const found = Object.entries(commands).find(([command]) => args.join(" ").startsWith(command));
  return found?.[1]() ?? { code: 2, stderr: `ERROR: Invalid choice: '${args[0]}'` };
}

const json = (value: unknown) => ({ stdout: JSON.stringify(value) });
