import assert from "node:assert/strict";
import { join } from "node:path";
import type { Job, JobRequest, StudioEvent } from "../../src/studio/api.ts";
import { pathWith } from "../dory.ts";
import { repository } from "../support.ts";
import { type open, parse } from "./serve.ts";

type Studio = Awaited<ReturnType<typeof open>>;

/** Starts a job and waits until it has ended. */
export async function work(studio: Studio, request: JobRequest): Promise<Job> {
  const answer = await studio.post("/api/jobs", request);
  const { id, detail } = await parse(answer);
  assert.equal(answer.status, 202, detail);
  return waitForJob(studio, id);
}

/** Waits for a job that was started before. */
export async function waitForJob(studio: Studio, id: string): Promise<Job> {
  for await (const event of follow(studio, 0))
    if (event.type === "job" && event.job.id === id && event.job.state !== "running") return event.job;
  throw new Error("the events ended before the job");
}

/** The events after a number, as a page gets them. */
export async function* follow(studio: Studio, after: number): AsyncGenerator<StudioEvent> {
  const headers = { Cookie: studio.cookie, "Last-Event-ID": String(after) };
  const controller = new AbortController();
  const { body } = await fetch(`${studio.url}/api/events`, { headers, signal: controller.signal });
  let text = "";
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const one of whole) {
        const data = one.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) yield JSON.parse(data.slice(6));
      }
    }
  } finally {
    controller.abort();
  }
}

/** The events so far. */
export async function listEvents(studio: Studio): Promise<StudioEvent[]> {
  const { lastEvent } = await parse(await studio.get("/api/state"));
  const events: StudioEvent[] = [];
  if (lastEvent === 0) return events;
  for await (const event of follow(studio, 0)) {
    events.push(event);
    if (event.id >= lastEvent) break;
  }
  return events;
}

/**
 * From here on npm installs nothing: projects share the packages of this repository, because installing takes minutes. An
 * image can be built only if versions are locked, which npm looks up.
 */
export function shareInstalledPackages({ isLocked = false } = {}): void {
  const packages = join(repository, "node_modules");
  const real = process.env["PATH"];
  const lock = isLocked
    ? `PATH='${real}' npm install --package-lock-only --no-audit --no-fund`
    : "echo '{}' > package-lock.json";
  // A folder, because git ignores no link of this name.
  const install = `${lock} && mkdir node_modules && ln -s "${packages}"/* "${packages}/.bin" node_modules`;
  const script = `case "$1" in install) ${install} ;; *) PATH='${real}' exec npm "$@" ;; esac`;
  process.env["PATH"] = pathWith({ npm: script });
}
