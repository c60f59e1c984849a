import { explainFailure, fetchText } from "../../fetch-text.ts";
import { describeAccess, gcloud, type Place } from "./gcloud.ts";

export const isWell = (status: number, path: string) =>
  path === "/health" ? status === 200 : status > 0 && status < 500;

/** Requests a path of a revision or of the service; if it is not public, with the publisher's token. */
export async function ask(
  place: Place,
  service: string,
  url: string,
  path: string,
): Promise<{ status: number; body: string }> {
  const open = await fetchPath(url, path, {});
  if ((open.status !== 401 && open.status !== 403) || (await isPublic(place, service))) return open;
  const token = await gcloud.run(["auth", "print-identity-token"]);
  return fetchPath(url, path, { authorization: `Bearer ${token}` });
}

/**
 * If a service is public, its container refused the request, and must not get the token. If it is not, Google refused
 * it, and removes the signature from the token before the container gets it.
 */
async function isPublic(place: Place, service: string): Promise<boolean> {
  interface Policy {
    bindings?: { role: string; members?: string[] }[];
  }
  const policy = await gcloud.readJson<Policy>(describeAccess(place, service));
  const callers = policy?.bindings?.filter(({ role }) => role === "roles/run.invoker") ?? [];
  return callers.some(({ members = [] }) => members.includes("allUsers"));
}

async function fetchPath(url: string, path: string, headers: Record<string, string>) {
  try {
    const answer = await fetchText(new URL(path, url), { headers }, { timeoutMs: 10_000, mostBytes: 300 });
    return { status: answer.status, body: answer.text };
  } catch (error) {
    return { status: 0, body: explainFailure(error) };
  }
}
