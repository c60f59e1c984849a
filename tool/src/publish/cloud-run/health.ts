import { accessOf, gcloud, type Place } from "./gcloud.ts";

export const isWell = (status: number, path: string) =>
  path === "/health" ? status === 200 : status > 0 && status < 500;

/** Asks a revision or the service, as anybody would; of one that is not open to all, as the one who publishes. */
export async function ask(
  place: Place,
  service: string,
  url: string,
  path: string,
): Promise<{ status: number; body: string }> {
  const open = await get(url, path, {});
  if ((open.status !== 401 && open.status !== 403) || (await isPublic(place, service))) return open;
  const token = await gcloud.run(["auth", "print-identity-token"]);
  return get(url, path, { authorization: `Bearer ${token}` });
}

/**
 * Of a service that is open to all, a refusal is the container's own, which would get to see the token. Of one that is not, it
 * is Google's, which takes the signature off the token before the container sees it.
 */
async function isPublic(place: Place, service: string): Promise<boolean> {
  interface Policy {
    bindings?: { role: string; members?: string[] }[];
  }
  const policy = await gcloud.json<Policy>(accessOf(place, service));
  const callers = policy?.bindings?.filter(({ role }) => role === "roles/run.invoker") ?? [];
  return callers.some(({ members = [] }) => members.includes("allUsers"));
}

async function get(url: string, path: string, headers: Record<string, string>) {
  try {
    const answer = await fetch(new URL(path, url), {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    return { status: answer.status, body: (await answer.text()).slice(0, 300) };
  } catch (error) {
    return { status: 0, body: (error as Error).message };
  }
}
