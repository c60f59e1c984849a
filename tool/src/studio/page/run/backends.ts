import type { BackendKey, BackendState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { choices, findBackend, isApplication, isProject, isSameQuery, preview, query, studio, view } from "../state.ts";
import { isActive, listShown } from "./keys.ts";

/** The chosen framework, and the one beside it. */
export function listKeys(): BackendKey[] {
  if (isApplication.value) return [];
  return view.value.beside && view.value.beside !== choices.value.framework ? ["main", "other"] : ["main"];
}

/** These, and what still runs although it is not chosen any more. */
export const listShownKeys = () => listShown(listKeys(), studio.value.backends);

export const listRunning = () => listKeys().filter((key) => findBackend(key)?.state === "running");

/** The choices of a backend. */
function writeQuery(key: BackendKey): string {
  if (key === "main") return preview.value?.query ?? query.value;
  const given = new URLSearchParams(preview.value?.query ?? query.value);
  given.set("framework", view.value.beside ?? "");
  return given.toString();
}

/** Whether a backend is not what is chosen now. */
export function isStale({ key, query: made }: BackendState): boolean {
  return made === null ? !isProject.value : !isSameQuery(made, writeQuery(key));
}

export function startBackend(key: BackendKey) {
  const isOwn = key === "main" && isProject.value;
  return runJob({ kind: "start", backend: key, ...(isOwn ? {} : { query: writeQuery(key) }) });
}

export const startAll = () => Promise.all(listKeys().map(startBackend));
export const stopAll = () =>
  Promise.all(studio.value.backends.filter(isActive).map(({ key: backend }) => runJob({ kind: "stop", backend })));
export const checkAll = () => Promise.all(listRunning().map((backend) => runJob({ kind: "check", backend })));
export const benchAll = () => runJob({ kind: "bench", backends: listRunning() });

/** Starts what is chosen, unless it runs, and checks it. */
export async function proveMain(): Promise<void> {
  const backend = findBackend("main");
  if (backend?.state !== "running" || isStale(backend)) {
    const started = await startBackend("main");
    if (started?.state !== "done") return;
  }
  await runJob({ kind: "check", backend: "main" });
}
