import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import { gcloud } from "./gcloud.ts";

export const healthPath = ({ services }: Application) => (services[0]?.request ? "/health" : "/");

/** Asks until it serves. */
export async function waitForHealth(url: string, path: string, healthMs: number): Promise<void> {
  let told = "nothing";
  for (const deadline = Date.now() + healthMs; Date.now() < deadline; await sleep(500)) {
    const { status, body } = await ask(url, path);
    if (isWell(status, path)) return;
    told = `${status || ""} ${body}`.trim();
  }
  throw new Fault(
    "unhealthy",
    `${url}${path} did not become healthy in time (--health-seconds). Last it said: ${told}`,
  );
}

export async function refuseUnwell(url: string, path: string): Promise<void> {
  const { status, body } = await ask(url, path);
  if (!isWell(status, path)) throw new Fault("unhealthy", `${url}${path} says: ${`${status || ""} ${body}`.trim()}`);
}

const isWell = (status: number, path: string) => (path === "/health" ? status === 200 : status > 0 && status < 500);

async function ask(url: string, path: string): Promise<{ status: number; body: string }> {
  const open = await get(url, path, {});
  if (open.status !== 401 && open.status !== 403) return open;
  // The service lets nobody in whom Google does not know.
  const token = await gcloud.run(["auth", "print-identity-token"]);
  return get(url, path, { authorization: `Bearer ${token}` });
}

async function get(url: string, path: string, headers: Record<string, string>) {
  try {
    const answer = await fetch(new URL(path, url), { headers, signal: AbortSignal.timeout(10_000) });
    return { status: answer.status, body: (await answer.text()).slice(0, 300) };
  } catch (error) {
    return { status: 0, body: (error as Error).message };
  }
}
