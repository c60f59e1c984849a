import type { State, StudioEvent } from "../api.ts";

/** An event that changes a part of the state by itself. */
export type ChangeEvent = Extract<StudioEvent, { type: "job" | "backend" }>;

export function applyChange(state: State, event: ChangeEvent): State {
  return event.type === "job"
    ? { ...state, jobs: replace(state.jobs, event.job, "id") }
    : { ...state, backends: replace(state.backends, event.backend, "key") };
}

/** An answer may be older than events that arrived while it was on its way: they count more. */
export function applyAnswer(answer: State, events: ChangeEvent[]): State {
  return events.filter(({ id }) => id > answer.lastEvent).reduce(applyChange, answer);
}

/** The list with this one in the place of the one with the same key, or at its end. */
function replace<T, K extends keyof T>(list: T[], item: T, key: K): T[] {
  const isKnown = list.some((one) => one[key] === item[key]);
  return isKnown ? list.map((one) => (one[key] === item[key] ? item : one)) : [...list, item];
}
