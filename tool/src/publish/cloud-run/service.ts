import { Fault } from "../../fault.ts";
import type { Release } from "../release.ts";
import { describeService, gcloud, listRevisions, type Place } from "./gcloud.ts";

/** A release as Cloud Run keeps it: with the version of each secret. Its revision is never changed. */
export interface CloudRunRelease extends Release {
  secretVersions: Record<string, string>;
}

/** The variable in which a release's record travels with its revision. */
export const recordVariable = "DORY_RELEASE";

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
  return gcloud.json<RunService>(describeService(place, service)).catch((error) => {
    if (error instanceof Fault && error.code === "not_found") return undefined;
    throw error;
  });
}

export async function revisionsOf(place: Place, service: string): Promise<Revision[]> {
  return (await gcloud.json<Revision[]>(listRevisions(place, service))) ?? [];
}

export const revisionName = (service: string, id: string) => `${service}-${id}`;
export const tagOf = (id: string) => `c-${id}`;

export const servingRevision = (service: RunService | undefined) =>
  service?.status?.traffic?.find(({ percent }) => percent === 100)?.revisionName;

export const urlOfTag = (service: RunService | undefined, tag: string) =>
  service?.status?.traffic?.find((one) => one.tag === tag)?.url;

/** What Cloud Run says of a revision whose container does not start; nothing of one that runs. */
export const failureOf = ({ status }: Revision) =>
  status?.conditions?.find(({ type, status }) => type === "Ready" && status === "False")?.message;

/** What was released, oldest first. The traffic tells what is live, and a tag or a failure what never became so. */
export function releasesIn(revisions: Revision[], service: RunService | undefined): CloudRunRelease[] {
  const serving = servingRevision(service);
  const releases = revisions.flatMap((revision): CloudRunRelease[] => {
    const { metadata, spec } = revision;
    const text = spec.containers[0]?.env?.find(({ name }) => name === recordVariable)?.value;
    if (text === undefined) return [];
    const record: CloudRunRelease = JSON.parse(text);
    const isTagged = urlOfTag(service, tagOf(record.id)) !== undefined;
    const hasFailed = isTagged || failureOf(revision) !== undefined;
    const status = metadata.name === serving ? "live" : hasFailed ? "failed" : "replaced";
    return [{ ...record, status }];
  });
  return releases.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}
