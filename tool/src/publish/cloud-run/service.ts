import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../fault.ts";
import type { Release } from "../release.ts";
import { describeService, gcloud, listRevisions, type Place } from "./gcloud.ts";

/** A release with the version of each secret. Its revision never changes. */
export interface CloudRunRelease extends Release {
  secretVersions: Record<string, string>;
}

/** The variable of a revision that stores its release. */
export const releaseVariable = "DORY_RELEASE";

export interface RunService {
  status?: {
    url?: string;
    traffic?: { revisionName?: string; percent?: number; tag?: string; url?: string }[];
  };
}

export interface Revision {
  metadata: { name: string };
  spec: { containers: { image: string; env?: { name: string; value?: string }[] }[] };
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

export async function findService(place: Place, service: string): Promise<RunService | undefined> {
  return gcloud.readJson<RunService>(describeService(place, service)).catch((error) => {
    if (error instanceof Fault && error.code === "not_found") return undefined;
    throw error;
  });
}

export async function readRevisions(place: Place, service: string): Promise<Revision[]> {
  return (await gcloud.readJson<Revision[]>(listRevisions(place, service))) ?? [];
}

/** gcloud reads variables from a file, in which a value may have any character. */
export async function withVariablesFile<T>(
  variables: Record<string, string>,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "dory-cloud-run-"));
  try {
    const file = join(folder, "variables.yaml");
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(variables));
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const revisionName = (service: string, id: string) => `${service}-${id}`;
export const tagName = (id: string) => `c-${id}`;

export const findServing = (service: RunService | undefined) =>
  service?.status?.traffic?.find(({ percent }) => percent === 100)?.revisionName;

export const findTagUrl = (service: RunService | undefined, tag: string) =>
  service?.status?.traffic?.find((one) => one.tag === tag)?.url;

/** Why the container of a revision does not start; undefined if it runs. */
export const findFailure = ({ status }: Revision) =>
  status?.conditions?.find(({ type, status }) => type === "Ready" && status === "False")?.message;

/** The releases, oldest first. The one with the traffic is live; a tag or a failure marks one that never was. */
export function readReleases(revisions: Revision[], service: RunService | undefined): CloudRunRelease[] {
  const serving = findServing(service);
  const releases = revisions.flatMap((revision): CloudRunRelease[] => {
    const { metadata, spec } = revision;
    const text = spec.containers[0]?.env?.find(({ name }) => name === releaseVariable)?.value;
    if (text === undefined) return [];
    const release: CloudRunRelease = JSON.parse(text);
    const isTagged = findTagUrl(service, tagName(release.id)) !== undefined;
    const hasFailed = isTagged || findFailure(revision) !== undefined;
    const status = metadata.name === serving ? "live" : hasFailed ? "failed" : "replaced";
    return [{ ...release, status }];
  });
  return releases.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}
