import { effect } from "@preact/signals";
import type { Job, JobRequest, Preview, State } from "../api.ts";
import { readView, type TabName, type View, writeView } from "./address.ts";
import { explain, getJson, postJson, remove } from "./api-client.ts";
import { applyAnswer, applyChange, type ChangeEvent } from "./changes.ts";
import { type ProjectChoices, readChoices } from "./choices.ts";
import { choices, failure, notes, options, preview, query, studio, view } from "./state.ts";

/** The text control that is being typed in: all of it is one step for Back. */
let typing: string | undefined;

/** Changes some of the choices. `control` is the text control that it was typed into, if it was typed. */
export function choose(changes: Partial<ProjectChoices>, control?: string): void {
  choices.value = { ...choices.value, ...changes };
  writeAddress(control !== undefined && control === typing);
  typing = control;
}

export function openTab(tab: TabName): void {
  if (tab !== view.value.tab) changeView({ tab });
}

/** Changes what is shown. `isStep` is whether Back returns from it. */
export function changeView(changes: Partial<Record<keyof View, string | undefined>>, isStep = true): void {
  const entries = Object.entries({ ...view.value, ...changes }).filter(([, value]) => value !== undefined);
  view.value = Object.fromEntries(entries) as unknown as View;
  typing = undefined;
  writeAddress(!isStep, location.search);
}

function writeAddress(isReplaced: boolean, search = `?${query.value}`): void {
  const address = `${location.pathname}${search}${writeView(view.value)}`;
  if (isReplaced) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

/** Follows the address and the choices: every choice is answered by a preview. */
export function followChoices(): void {
  addEventListener("popstate", () => {
    typing = undefined;
    view.value = readView(location.hash);
    choices.value = readChoices(location.search, options.defaults);
  });
  // The address may have what the form has not: parameters that are not known, the version and the digest of a link.
  let opened = location.search.slice(1);
  if (opened === "") writeAddress(true);
  let current = new AbortController();
  effect(() => {
    const asked = query.value;
    current.abort();
    current = new AbortController();
    void askForPreview(opened || asked, opened !== "", current.signal);
    opened = "";
  });
}

async function askForPreview(asked: string, isOpened: boolean, signal: AbortSignal): Promise<void> {
  try {
    const answer = await postJson<Preview>("/api/preview", { query: asked }, signal);
    if (signal.aborted) return;
    preview.value = answer;
    failure.value = "";
    if (isOpened) notes.value = answer.notes;
    if (answer.faults.length === 0) writeAddress(true, `?${answer.link}`);
  } catch (error) {
    if (!signal.aborted) failure.value = explain(error);
  }
}

/** Starts a job. Its events follow; a refusal is its result too. */
export async function startJob(request: JobRequest): Promise<Job> {
  failure.value = "";
  const { id } = await postJson<{ id: string }>("/api/jobs", request);
  return waitForJob(id);
}

/** For a click: a refusal is shown on the page. */
export async function runJob(request: JobRequest): Promise<Job | undefined> {
  try {
    return await startJob(request);
  } catch (error) {
    failure.value = explain(error);
    return undefined;
  }
}

export const cancelJob = (id: string) => remove(`/api/jobs/${id}`).catch(showFailure);

/** Shows another project below the studio's folder, with its choices. */
export async function openProject(folder: string): Promise<void> {
  try {
    showState(await postJson("/api/project", { folder }));
    const { project } = studio.value;
    if (project) choose(readChoices(project.query, options.defaults));
  } catch (error) {
    showFailure(error);
  }
}

export async function refreshState(): Promise<void> {
  showState(await getJson("/api/state"));
}

/** The latest changes, for answers that were on their way meanwhile. */
let latest: ChangeEvent[] = [];

/** A job or a backend is new or has changed. */
export function noteChange(event: ChangeEvent): void {
  latest = [...latest.slice(-99), event];
  studio.value = applyChange(studio.value, event);
}

/** Answers may overtake each other. */
function showState(answer: State): void {
  if (answer.lastEvent >= studio.value.lastEvent) studio.value = applyAnswer(answer, latest);
}

export function showFailure(error: unknown): void {
  failure.value = explain(error);
}

/** Resolves once the job has ended. */
function waitForJob(id: string): Promise<Job> {
  return new Promise((resolve) => {
    const dispose = effect(() => {
      const job = studio.value.jobs.find((one) => one.id === id);
      if (!job || job.state === "running") return;
      // Not at once: `dispose` is not known yet if the job has ended already.
      queueMicrotask(() => dispose());
      resolve(job);
    });
  });
}
